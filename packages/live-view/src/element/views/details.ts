import type { JsonValue } from "@x/base"
import { html, nothing, type TemplateResult } from "lit-html"
import { toWho } from "../../frames/who.js"
import { findDifferences } from "../differences.js"
import type { Selected } from "../ui-state.js"
import { describeTime } from "./calls.js"
import { jsonView } from "./json.js"
import { createTryView } from "./try-call.js"
import type { ViewSite } from "./view-site.js"

/** Creates the details pane of one item, beside the lists. */
export function createDetailsView(site: ViewSite) {
  const { ui, actions } = site
  const trying = createTryView(site)
  return {
    view(): TemplateResult | typeof nothing {
      const { selected } = ui
      if (selected === undefined) return nothing
      return html`<aside class="details" aria-label="Details">
        <header><h2>${titleOf(selected)}</h2>
          <button @click=${() => actions.select(undefined)} aria-label="Close details">✕</button></header>
        <div class="scroll" tabindex="0" role="group" aria-label="Details of ${titleOf(selected)}">
          ${selected.kind === "tool" ? toolDetails(site, selected, trying.view) : nothing}
          ${selected.kind === "state" ? stateDetails(site, selected) : nothing}
          ${selected.kind === "call" ? callDetails(site, selected) : nothing}
        </div>
      </aside>`
    },
    close: (): void => trying.close(),
  }
}

function titleOf(selected: Selected): string {
  if (selected.kind === "state") return selected.uri.replace(/^[a-z]+:\/\/[^/]*\//, "")
  return selected.kind === "tool" ? selected.name : selected.call.name
}

type Of<Kind extends Selected["kind"]> = Extract<Selected, { readonly kind: Kind }>

function toolDetails({ ui }: ViewSite, selected: Of<"tool">, tryIt: (selected: Of<"tool">) => unknown): TemplateResult {
  const { details, name } = selected
  const row = ui.picture?.tools.get(name)
  if (details === undefined)
    return html`<p>${row?.description ?? ""}</p>${row?.available === false ? html`<p class="why">${row.reason ?? "Unavailable."}</p>` : nothing}`
  const { changes } = details
  const available = row?.available ?? details.available
  return html`
    <p>${details.definition.description}</p>
    ${available ? nothing : html`<p class="why">Unavailable: ${row?.reason ?? details.reason ?? "no reason given"}.</p>`}
    ${tryIt(selected)}
    <h3>What the model sees ${ui.profile === "" ? nothing : html`<small>for ${ui.profile}</small>`}</h3>
    ${jsonView(details.definition)}
    ${changes.length === 0 ? nothing : html`<h3>Changes made for publishing</h3><ul class="plain">${changes.map((change) => html`<li><code>${change}</code></li>`)}</ul>`}
  `
}

function stateDetails({ ui }: ViewSite, { uri, value }: Of<"state">): TemplateResult {
  const row = ui.picture?.states.get(uri)
  const read = value as { readonly json?: unknown; readonly cut?: boolean } | undefined // sent by the live view server itself
  const json = read?.json ?? row?.value
  return html`
    <p>${row?.description ?? "No description."}</p>
    <p class="meta"><code>${uri}</code></p>
    <p class="meta">revision ${row?.revision ?? "?"}, changed ${row?.changes ?? 0}× since you opened this view</p>
    ${
      ui.picture?.start.show.values
        ? html`${changeView(row?.last?.before, row?.value)}<h3>Value</h3>${jsonView(json)}${read?.cut ? html`<p class="hint">Only the beginning is shown.</p>` : nothing}`
        : html`<p class="hidden">Values are hidden. Set the option <code>show</code> to see them.</p>`
    }`
}

/** Renders where a value differs from the one before. */
function changeView(before: JsonValue | undefined, now: JsonValue | undefined): TemplateResult | typeof nothing {
  if (before === undefined || now === undefined) return nothing
  const { found, more } = findDifferences(before, now)
  return html`<h3>Last change</h3>
    <ul class="differences">${found.map(
      ({ path, before: old, now: current }) => html`<li>${path === "" ? nothing : html`<code>${path}</code> `}
        ${old === undefined ? nothing : html`<del>${toText(old)}</del> `}${current === undefined ? nothing : html`<ins>${toText(current)}</ins>`}</li>`,
    )}${more ? html`<li class="hint">and more</li>` : nothing}</ul>`
}

function toText(value: JsonValue): string {
  return typeof value === "string" ? value : JSON.stringify(value)
}

function callDetails({ ui }: ViewSite, selected: Of<"call">): TemplateResult {
  const call = ui.picture?.calls.get(selected.call.id) ?? selected.call
  const { args, result, changed = [], changedMore = 0 } = call
  return html`
    <dl>
      <dt>by</dt><dd>${toWho(call)}${call.info ? ` ${call.info.version}` : ""}${call.info && call.principal ? `, for ${call.principal}` : ""}, over ${call.leg.transport}, ${call.leg.era}</dd>
      <dt>result</dt><dd>${call.status}${call.code ? html` <code>${call.code}</code>` : nothing}, ${describeTime(ui, call)}</dd>
      ${call.questions?.map((words) => html`<dt>asks</dt><dd class="question">${words}</dd>`)}
      <dt>changes</dt><dd>${changed.length === 0 ? "none" : changed.map((change) => html`<span class="change" data-how=${change.slice(0, 1)}>${change}</span> `)}${changedMore > 0 ? `and ${changedMore} more` : nothing}</dd>
    </dl>
    <h3>Arguments</h3>
    ${valueView(args, "hidden")}
    <h3>${call.status === "failed" ? "Error" : "Result"}</h3>
    ${valueView(result, ui.picture?.start.show.results ? "none" : "hidden")}
    ${call.cut ? html`<p class="hint">Long values are shortened.</p>` : nothing}`
}

/** @param absent - The text to show without a value. */
function valueView(value: unknown, absent: string): TemplateResult {
  if (value === undefined) return html`<p class="hidden">${absent}</p>`
  return jsonView(value)
}
