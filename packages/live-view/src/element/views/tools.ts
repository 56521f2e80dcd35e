import { compareText } from "@x/tool-schemas/json"
import { html, nothing, type TemplateResult } from "lit-html"
import { ref } from "lit-html/directives/ref.js"
import type { ToolRow } from "../../frames/frame.js"
import type { Shown } from "../../frames/picture.js"
import { flashOf } from "../flash.js"
import type { UiState } from "../ui-state.js"
import { createWindowList } from "../window-list.js"
import type { ViewSite } from "./view-site.js"

/** In pixels, as the styles have it. */
const ROW = 52

type Row = Shown<ToolRow> & { readonly own?: true }

/** The list of tools as a client of the chosen exposure sees it, with what is known and not listed among them. */
export function createToolsView({ ui, actions, redraw }: ViewSite) {
  const rows = createRows(ui)
  const list = createWindowList(ROW, redraw)
  return {
    view(): TemplateResult {
      const all = rows()
      const { items, height } = list.take(all.length)
      return html`
        ${ui.exposure === "meta" ? html`<p class="hint">Everything else is found with <code>find_actions</code> and run by name.</p>` : nothing}
        <div class="scroll" ${ref(list.attach)} tabindex="0" role="group" aria-label="Tools">
          ${all.length === 0 ? html`<p class="empty">${ui.search === "" ? "There are no tools." : "No tool has these words."}</p>` : nothing}
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
  const said = available ? description : (reason ?? "it cannot be called now")
  return html`<li class="row" style="transform:translateY(${top}px)" data-flash=${flashOf(tool.last, ui)}
    ?data-away=${!available} ?data-open=${ui.selected?.kind === "tool" && ui.selected.name === name}>
    <button class="pick" @click=${() => actions.select({ kind: "tool", name })}>
      <span class="name">${name}</span>
      ${own ? html`<span class="badge">adapter’s own</span>` : nothing}
      ${hints.map((hint) => html`<span class="badge" data-hint=${hint}>${hint}</span>`)}
      ${available ? nothing : html`<span class="badge" data-hint="away">${ui.exposure === "stable" ? "not now" : "away"}</span>`}
      <span class="said">${said}</span>
    </button>
  </li>`
}

/** The rows, made again only when there are others, or others are looked for. */
function createRows(ui: UiState): () => readonly Row[] {
  let made: { readonly key: string; readonly rows: readonly string[] } | undefined
  let own = new Map<string, Row>()
  return () => {
    const { picture, exposure, search } = ui
    if (picture === undefined) return []
    const key = `${picture.start.time} ${picture.listing} ${picture.tools.size} ${exposure} ${search}`
    if (made?.key !== key) {
      own = new Map(picture.builtIns[exposure].map((name) => [name, toOwn(name)]))
      const actions = exposure === "meta" ? [] : [...picture.tools.values()]
      const words = search.toLowerCase().split(/\s+/).filter(Boolean)
      const found = [...own.values(), ...actions].filter((tool) => has(tool, words))
      made = { key, rows: found.map(({ name }) => name).sort(compareText) }
    }
    return made.rows.flatMap((name) => own.get(name) ?? picture.tools.get(name) ?? [])
  }
}

function toOwn(name: string): Row {
  return {
    name,
    path: [],
    key: name,
    description: "A tool of the adapter’s own",
    hints: [],
    available: true,
    own: true,
  }
}

function has({ name, description }: ToolRow, words: readonly string[]): boolean {
  const text = `${name} ${description}`.toLowerCase()
  return words.every((word) => text.includes(word))
}
