import { html, nothing, type TemplateResult } from "lit-html"
import type { StateRow } from "../../frames/frame.js"
import type { Shown } from "../../frames/picture.js"
import { flashOf, type ViewSite } from "./view-site.js"

const MOST = 300

/** Renders the states, each with its value and revision. */
export function statesView(site: ViewSite): TemplateResult {
  const { picture, search } = site.ui
  const words = search.toLowerCase()
  const found: Shown<StateRow>[] = []
  let more = 0
  for (const state of picture?.states.values() ?? []) {
    if (!`${state.name} ${state.description ?? ""}`.toLowerCase().includes(words)) continue
    if (found.length < MOST) found.push(state)
    else more += 1
  }
  if (found.length === 0) return html`<p class="empty">${search === "" ? "No states." : "No states match."}</p>`
  return html`<ul class="cards scroll" tabindex="0" aria-label="States">
    ${found.map((state) => stateCard(site, state))}
    ${more > 0 ? html`<li class="empty">${more} more: use the search to find them</li>` : nothing}
  </ul>`
}

function stateCard({ ui, actions }: ViewSite, state: Shown<StateRow>): TemplateResult {
  const { uri, name, description, mimeType, revision, changes, value, cut } = state
  return html`<li class="card" data-flash=${flashOf(state.last, ui)}>
    <button class="pick" @click=${() => actions.select({ kind: "state", uri })}>
      <span class="name">${name}</span>
      <span class="badge">${mimeType}</span>
      <span class="meta">revision ${revision}${changes > 0 ? html` · changed ${changes}×` : nothing}</span>
      ${description ? html`<span class="said">${description}</span>` : nothing}
    </button>
    ${
      ui.picture?.start.show.values
        ? html`<pre class="value">${glance(value)}${cut ? "\n…" : nothing}</pre>`
        : html`<p class="hidden">value hidden</p>`
    }
  </li>`
}

/** Returns the first lines of a value. */
function glance(value: unknown): string {
  if (value === undefined) return "…"
  const text = typeof value === "string" ? value : JSON.stringify(value, null, 1)
  return text.split("\n").slice(0, 8).join("\n").slice(0, 600)
}
