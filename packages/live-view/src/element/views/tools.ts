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

/** Creates the list of tools for the selected exposure, including known tools that are unlisted now. */
export function createToolsView({ ui, actions, redraw }: ViewSite) {
  const rows = createRows(ui)
  const list = createWindowList(ROW, redraw)
  return {
    view(): TemplateResult {
      const all = rows()
      const { items, height } = list.take(all.length)
      return html`
        ${ui.exposure === "meta" ? html`<p class="hint">All other actions are found with <code>find_actions</code> and run by name.</p>` : nothing}
        <div class="scroll" ${ref(list.attach)} tabindex="0" role="group" aria-label="Tools">
          ${all.length === 0 ? html`<p class="empty">${ui.search === "" ? "No tools." : "No tools match."}</p>` : nothing}
          <ul class="rows" style="height:${height}px">
            ${items.map(({ index, start }) => {
              const tool = all[index]
              return tool === undefined ? nothing : toolRow({ ui, actions, redraw }, tool, start)
            })}
          </ul>
        </div>
      `
    },
    close: (): void => list.close(),
  }
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

/** Rebuilds the rows only after the list or the search has changed. */
function createRows(ui: UiState): () => readonly Row[] {
  let made: { readonly key: string; readonly rows: readonly string[] } | undefined
  let own = new Map<string, Row>()
  return () => {
    const { picture, exposure, search } = ui
    if (picture === undefined) return []
    const key = `${picture.start.time} ${picture.listing} ${picture.tools.size} ${exposure} ${search}`
    if (made?.key !== key) {
      const shown = toShown(picture, exposure)
      own = new Map(shown.own.map((row) => [row.name, row]))
      const words = search.toLowerCase().split(/\s+/).filter(Boolean)
      const found = [...shown.own, ...shown.actions].filter((tool) => has(tool, words))
      made = { key, rows: found.map(({ name }) => name).sort(compareText) }
    }
    return made.rows.flatMap((name) => own.get(name) ?? picture.tools.get(name) ?? [])
  }
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
