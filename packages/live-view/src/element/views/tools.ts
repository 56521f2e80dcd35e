import { compareText } from "@x/base"
import { html, nothing, type TemplateResult } from "lit-html"
import { ref } from "lit-html/directives/ref.js"
import type { ExposureOf, ItemToolRow, ToolRow } from "../../frames/frame.js"
import type { Picture, Shown } from "../../frames/picture.js"
import type { UiState } from "../ui-state.js"
import { createWindowList } from "../window-list.js"
import { flashOf, type ViewSite } from "./view-site.js"

/** Row height in pixels, equal to the styles'. */
const ROW = 52

type Row = Shown<ToolRow> & { readonly own?: "built-in" | "items" }

/** The title of a service's tools. */
interface Group {
  readonly title: string
  readonly available: number
  readonly all: number
}

/** A line of the list: a service's title, or the name of one of its tools. */
type Line = Group | string

/** Creates the list of tools for the selected exposure, by service, including known tools that are unlisted now. */
export function createToolsView({ ui, actions, redraw }: ViewSite) {
  const lines = createLines(ui)
  const list = createWindowList(ROW, redraw)
  const toggle = (): void => actions.set({ onlyAvailable: !ui.onlyAvailable })
  return {
    view(): TemplateResult {
      const { all, rowOf } = lines()
      const { items, height } = list.take(all.length)
      return html`
        <div class="bar">
          <p>${explainExposure(ui, ui.exposure)}</p>
          <button aria-pressed=${ui.onlyAvailable} @click=${toggle}>Available only</button>
        </div>
        <div class="scroll" ${ref(list.attach)} tabindex="0" role="group" aria-label="Tools">
          ${all.length === 0 ? html`<p class="empty">${explainEmpty(ui)}</p>` : nothing}
          <ul class="rows" style="height:${height}px">
            ${items.map(({ index, start }) => {
              const line = all[index]
              if (typeof line === "object") return groupRow(line, start)
              const tool = line === undefined ? undefined : rowOf(line)
              return tool === undefined ? nothing : toolRow({ ui, actions, redraw }, tool, start)
            })}
          </ul>
        </div>
      `
    },
    close: (): void => list.close(),
  }
}

/** Says what an exposure lists, and what its list costs a model. */
export function explainExposure({ costs }: UiState, exposure: ExposureOf): string {
  const tokens = costs?.[exposure]?.tokens
  return `${EXPOSURES[exposure]}${tokens === undefined ? "" : `: ${tokens.toLocaleString("en")} tokens`}.`
}

const EXPOSURES = {
  dynamic: "Lists the tools that are available now",
  stable: "Lists all known tools at all times",
  meta: "Lists a few tools that find actions and run them by name",
  grouped: "Lists the tools that are available now, with the same action of several items as one",
}

function explainEmpty({ search, onlyAvailable }: UiState): string {
  if (search !== "") return onlyAvailable ? "No available tools match." : "No tools match."
  return onlyAvailable ? "No tool is available now." : "No tools. If a page offers them, open the page."
}

function groupRow({ title, available, all }: Group, top: number): TemplateResult {
  return html`<li class="row group" style="transform:translateY(${top}px)">
    <h2>${title}</h2> <span class="meta">${available === all ? `${all} available` : `${available} of ${all} available`}</span>
  </li>`
}

function toolRow({ ui, actions }: ViewSite, tool: Row, top: number): TemplateResult {
  const { name, description, hints, available, reason, own } = tool
  const said = available ? description : (reason ?? "unavailable")
  return html`<li class="row" style="transform:translateY(${top}px)" data-flash=${flashOf(tool.last, ui)}
    ?data-away=${!available} ?data-open=${ui.selected?.kind === "tool" && ui.selected.name === name}>
    <button class="pick" @click=${() => actions.select({ kind: "tool", name })}>
      <span class="name">${name}</span>
      ${own ? html`<span class="badge">${own}</span>` : nothing}
      ${hints.map((hint) => html`<span class="badge" data-hint=${hint}>${hint}</span>`)}
      ${available ? nothing : html`<span class="badge" data-hint="away">${ui.exposure === "stable" ? "unavailable" : "unlisted"}</span>`}
      <span class="said">${said}</span>
    </button>
  </li>`
}

/** The lines, and the row of each name. */
interface Lines {
  readonly all: readonly Line[]
  readonly rowOf: (name: string) => Row | undefined
}

/** Rebuilds the lines only after the list, or what the person chose, has changed. */
function createLines(ui: UiState): () => Lines {
  let made: { readonly key: string; readonly lines: Lines } | undefined
  return () => {
    const { picture, exposure, search, onlyAvailable } = ui
    if (picture === undefined) return { all: [], rowOf: () => undefined }
    const key = `${picture.start.time} ${picture.listing} ${picture.tools.size} ${exposure} ${onlyAvailable} ${search}`
    if (made?.key !== key) {
      const { own, actions } = toShown(picture, exposure)
      const ownRows = new Map(own.map((row) => [row.name, row]))
      const words = search.toLowerCase().split(/\s+/).filter(Boolean)
      const isFound = (tool: Row): boolean => has(tool, words) && (tool.available || !onlyAvailable)
      const groups = [
        ...byService(actions.filter(isFound)).map(([path, tools]) => toLines(path || picture.start.name, tools)),
        toLines("Built-in tools", own.filter(isFound)),
      ].filter((group) => group.length > 0)
      // With one group, its title says nothing.
      const all = groups.length === 1 ? (groups[0]?.slice(1) ?? []) : groups.flat()
      made = { key, lines: { all, rowOf: (name) => ownRows.get(name) ?? ui.picture?.tools.get(name) } }
    }
    return made.lines
  }
}

/** Groups tools by the path of their service; the application's own come first. */
function byService(tools: readonly Row[]): readonly (readonly [path: string, tools: readonly Row[]])[] {
  const groups = new Map<string, Row[]>()
  for (const tool of tools) {
    const path = tool.path.join("/")
    const group = groups.get(path)
    if (group === undefined) groups.set(path, [tool])
    else group.push(tool)
  }
  return [...groups].sort(([one], [other]) => compareText(one, other))
}

/** Returns a title and the tools' names, those of available ones first. */
function toLines(title: string, tools: readonly Row[]): readonly Line[] {
  if (tools.length === 0) return []
  const sorted = [...tools].sort(
    (one, other) => Number(other.available) - Number(one.available) || compareText(one.name, other.name),
  )
  const available = tools.filter((tool) => tool.available).length
  return [{ title, available, all: tools.length }, ...sorted.map(({ name }) => name)]
}

/** Returns an exposure's rows: the adapter's tools, and actions listed individually. */
function toShown({ builtIns, tools }: Picture, exposure: ExposureOf): Record<"own" | "actions", readonly Row[]> {
  const actions = [...tools.values()]
  if (exposure === "meta") return { own: builtIns.meta.map(toOwn), actions: [] }
  if (exposure !== "grouped") return { own: builtIns[exposure].map(toOwn), actions }
  const { grouped = [] } = builtIns
  const ofItems = new Set(grouped.flatMap((tool) => tool.actions))
  return {
    own: [...builtIns.dynamic.map(toOwn), ...grouped.map(toGroup)],
    actions: actions.filter(({ name }) => !ofItems.has(name)),
  }
}

function toGroup({ name, actions }: ItemToolRow): Row {
  return { ...toOwn(name), description: `Stands for ${actions.join(", ")}`, own: "items" }
}

function toOwn(name: string): Row {
  return {
    name,
    path: [],
    key: name,
    description: "A built-in tool of the adapter",
    hints: [],
    available: true,
    own: "built-in",
  }
}

function has({ name, description }: ToolRow, words: readonly string[]): boolean {
  const text = `${name} ${description}`.toLowerCase()
  return words.every((word) => text.includes(word))
}
