import { html, nothing, type TemplateResult } from "lit-html"
import { exposures } from "../../frames/exposures.js"
import type { UiState } from "../ui-state.js"
import { createCallsView } from "./calls.js"
import { clientsView } from "./clients.js"
import { createDetailsView } from "./details.js"
import { graphView } from "./graph.js"
import { playerView } from "./player-bar.js"
import { statesView } from "./states.js"
import { storyView } from "./story-feed.js"
import { type Tab, tabs } from "./tabs.js"
import { createToolsView } from "./tools.js"
import type { ViewSite } from "./view-site.js"

/** All of it. */
export interface Shell {
  view(): TemplateResult
  close(): void
}

/** Puts the views together. */
export function createShell(site: ViewSite & { readonly root: ShadowRoot }): Shell {
  const { ui, actions } = site
  const tools = createToolsView(site)
  const calls = createCallsView(site)
  const details = createDetailsView(site)
  const left = { tools: tools.view, states: () => statesView(site), links: () => graphView(site) }
  const right = { calls: calls.view, clients: () => clientsView(site), story: () => storyView(site) }
  return {
    view: () => html`
      <div class="shell" @keydown=${(event: KeyboardEvent) => event.key === "Escape" && actions.select(undefined)}>
        ${topBar(site)}
        ${
          ui.picture === undefined
            ? html`<p class="empty" role="status">${ui.connection === "lost" ? "The server is away. Trying again …" : "Connecting …"}</p>`
            : html`<div class="panes">
                <section class="pane" aria-label="What is on offer">
                  ${tabs("left", leftTabs(ui), { open: ui.left, choose: (key) => actions.set({ left: key }) })}
                  <div class="body" role="tabpanel" id="panel-left" aria-labelledby="tab-${ui.left}">${left[ui.left]()}</div>
                </section>
                <section class="pane" aria-label="What happens">
                  ${tabs("right", rightTabs(ui), { open: ui.right, choose: (key) => actions.set({ right: key }) })}
                  <div class="body" role="tabpanel" id="panel-right" aria-labelledby="tab-${ui.right}">${right[ui.right]()}</div>
                </section>
                ${details.view()}
              </div>`
        }
        ${ui.player === undefined ? nothing : playerView(site)}
      </div>
    `,
    close() {
      tools.close()
      calls.close()
      details.close()
    },
  }
}

function leftTabs({ picture, exposure }: UiState): readonly Tab<UiState["left"]>[] {
  if (picture === undefined) return []
  const own = picture.start.builtIns[exposure].length
  let listed = 0
  for (const tool of picture.tools.values()) if (tool.available || exposure === "stable") listed += 1
  return [
    { key: "tools", title: "Tools", count: own + (exposure === "meta" ? 0 : listed) },
    { key: "states", title: "States", count: picture.states.size },
    { key: "links", title: "Links", count: picture.links.size },
  ]
}

function rightTabs({ picture }: UiState): readonly Tab<UiState["right"]>[] {
  return [
    { key: "calls", title: "Calls", count: picture?.called ?? 0 },
    { key: "clients", title: "Clients", count: picture?.clients.length ?? 0 },
    { key: "story", title: "What happened" },
  ]
}

const STATUS = { connecting: "connecting", live: "live", lost: "away", replay: "recording" }

function topBar(site: ViewSite): TemplateResult {
  const { ui, actions } = site
  const status = ui.paused && ui.connection === "live" ? "paused" : STATUS[ui.connection]
  return html`
    <header class="top">
      <h1><span class="dot" data-status=${status}></span>${ui.picture?.start.name ?? "…"} <small role="status">${status}</small></h1>
      <div class="segments" role="group" aria-label="Exposure: what a client is shown">
        ${exposures.map(
          (exposure) => html`<button aria-pressed=${ui.exposure === exposure} title=${EXPOSURES[exposure]}
            @click=${() => actions.set({ exposure })}>${exposure}</button>`,
        )}
      </div>
      <label class="field"><span aria-hidden="true">Profile</span>
        <select aria-label="Profile: whom schemas are published for" @change=${(event: Event) => actions.set({ profile: textOf(event) })}>
          ${PROFILES.map((profile) => html`<option value=${profile} ?selected=${ui.profile === profile}>${profile || "as served"}</option>`)}
        </select>
      </label>
      ${costView(ui)}
      <span class="space"></span>
      <input class="search" type="search" placeholder="Search" aria-label="Search tools, states and calls" .value=${ui.search}
        @input=${(event: Event) => actions.set({ search: textOf(event) })} />
      ${ui.player === undefined ? liveButtons(site) : html`<button @click=${actions.leaveRecording}>Back to live</button>`}
    </header>
    ${ui.fault === undefined ? nothing : html`<p class="fault" role="alert">${ui.fault} <button @click=${() => actions.set({ fault: undefined })}>OK</button></p>`}
  `
}

const EXPOSURES = {
  dynamic: "Lists what can be called now",
  stable: "Lists all that is known, always",
  meta: "Lists a few tools that find actions and run them",
}
const PROFILES = ["", "portable", "anthropic", "openai", "openai-strict", "gemini", "verbatim"]

function liveButtons({ ui, actions }: ViewSite): TemplateResult {
  return html`
    <button aria-pressed=${ui.paused} @click=${() => actions.set({ paused: !ui.paused })}>${ui.paused ? "Go on" : "Pause"}</button>
    <button class=${ui.recording ? "hot" : ""} aria-pressed=${ui.recording} @click=${actions.toggleRecording}>
      ${ui.recording ? "Save recording" : "Record"}</button>
    <label class="button">Open …<input type="file" accept=".jsonl" class="unseen" aria-label="Open a recording"
      @change=${(event: Event) => {
        const [file] = (event.target as HTMLInputElement).files ?? [] // the input two lines up
        if (file) void actions.openFile(file)
      }} /></label>
  `
}

function costView({ costs, exposure, profile }: UiState): TemplateResult {
  if (costs === undefined) return html`<span class="cost"></span>`
  const { tokens, chars } = costs[exposure]
  const title = `What the list costs a model: ${chars.toLocaleString("en")} characters, ${tokens.toLocaleString("en")} tokens (${costs.encoding})${profile && `, for ${profile}`}`
  return html`<span class="cost" title=${title}><b>${tokens.toLocaleString("en")}</b> tokens · ${(chars / 1_000).toFixed(1)} kB</span>`
}

function textOf(event: Event): string {
  // Only inputs and selects are listened to.
  return (event.target as HTMLInputElement | HTMLSelectElement).value
}
