import { html, nothing, type TemplateResult } from "lit-html"
import type { ClientRow } from "../../frames/frame.js"
import type { Caller } from "../../frames/picture.js"
import { toCallerKey, toWho } from "../../frames/who.js"
import type { ViewSite } from "./view-site.js"

/** Renders the clients that listen for changes, and others that have called. */
export function clientsView({ ui }: ViewSite): TemplateResult {
  const { picture } = ui
  if (picture === undefined) return html``
  const listening = new Set(picture.clients.map(toCallerKey))
  const others = [...picture.callers].filter(([key]) => !listening.has(key)).reverse()
  return html`<div class="scroll" tabindex="0" role="group" aria-label="Clients">
    <h2>Listening for changes</h2>
    ${picture.clients.length === 0 ? html`<p class="empty">No client is listening. Clients that only call see changes in the results.</p>` : nothing}
    <ul class="cards">${picture.clients.map((client) => clientCard(client, picture.callers.get(toCallerKey(client))))}</ul>
    ${others.length === 0 ? nothing : html`<h2>Other callers</h2><ul class="cards">${others.map(([, caller]) => callerCard(caller))}</ul>`}
  </div>`
}

function clientCard(row: ClientRow, caller: Caller | undefined): TemplateResult {
  const { info, principal, leg, kinds, uris } = row
  return html`<li class="card">
    <span class="name">${toWho(row)}</span>
    ${info ? html`<span class="meta">${info.version}${principal ? `, for ${principal}` : ""}</span>` : nothing}
    <span class="badge" data-era=${leg.era}>${leg.era}</span><span class="badge">${leg.transport}</span>
    <span class="meta">${caller ? `${caller.calls} calls` : "no call yet"}</span>
    <p class="said">${kinds.length === 0 ? "listens to no list" : `listens to ${kinds.join(", ")}`}</p>
    ${uris.length === 0 ? nothing : html`<p class="said">subscribed to ${uris.map((uri) => html`<code>${uri}</code> `)}</p>`}
  </li>`
}

function callerCard({ last, calls }: Caller): TemplateResult {
  return html`<li class="card">
    <span class="name">${toWho(last)}</span>
    <span class="badge" data-era=${last.leg.era}>${last.leg.era}</span><span class="badge">${last.leg.transport}</span>
    <span class="meta">${calls} ${calls === 1 ? "call" : "calls"}, last: ${last.name}</span>
  </li>`
}
