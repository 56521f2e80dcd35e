import { profileNames } from "@x/tool-schemas"
import { html, nothing, type TemplateResult } from "lit-html"
import { exposures } from "../../frames/frame.js"
import type { UiState } from "../ui-state.js"
import { createCallsView } from "./calls.js"
import { clientsView } from "./clients.js"
import { createDetailsView } from "./details.js"
import { graphView } from "./graph.js"
import { statesView } from "./states.js"
import { playerView, storyView } from "./story.js"
import { type Tab, tabs } from "./tabs.js"
import { createToolsView, explainExposure } from "./tools.js"
import type { ViewSite } from "./view-site.js"

/** The whole live view. */
export interface Shell {
  view(): TemplateResult
  close(): void
}

/** Creates the live view from its parts. */
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
            ? html`<p class="empty" role="status">${ui.connection === "lost" ? "Disconnected. Reconnecting …" : "Connecting …"}</p>`
            : html`<div class="panes">
                <section class="pane" aria-label="Tools, states and links">
                  ${tabs("left", leftTabs(ui), { open: ui.left, choose: (key) => actions.set({ left: key }) })}
                  <div class="body" role="tabpanel" id="panel-left" aria-labelledby="tab-${ui.left}">${left[ui.left]()}</div>
                </section>
                <section class="pane" aria-label="Calls, clients and activity">
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
  const groups = exposure === "grouped" ? (picture.builtIns.grouped ?? []) : []
  const grouped = new Set(groups.flatMap(({ actions }) => actions))
  const own = picture.start.builtIns[exposure === "grouped" ? "dynamic" : exposure].length + groups.length
  let listed = 0
  for (const tool of picture.tools.values()) {
    if ((tool.available || exposure === "stable") && !grouped.has(tool.name)) listed += 1
  }
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
    { key: "story", title: "Activity" },
  ]
}

const STATUS = { connecting: "connecting", live: "live", lost: "disconnected", replay: "recording" }

function topBar(site: ViewSite): TemplateResult {
  const { ui, actions } = site
  const status = ui.paused && ui.connection === "live" ? "paused" : STATUS[ui.connection]
  return html`
    <header class="top">
      <h1><span class="dot" data-status=${status}></span>${ui.picture?.start.name ?? "…"} <small role="status">${status}</small></h1>
      <div class="segments" role="group" aria-label="Exposure: the tools that a client lists">
        ${exposures.map(
          (exposure) => html`<button aria-pressed=${ui.exposure === exposure} title=${explainExposure(ui, exposure)}
            @click=${() => actions.set({ exposure })}>${exposure}</button>`,
        )}
      </div>
      <label class="field"><span aria-hidden="true">Profile</span>
        <select aria-label="Profile: the models that schemas are published for" @change=${(event: Event) => actions.set({ profile: textOf(event) })}>
          ${PROFILES.map((profile) => html`<option value=${profile} ?selected=${ui.profile === profile}>${profile || "as served"}</option>`)}
        </select>
      </label>
      ${costView(ui)}
      <span class="space"></span>
      <input class="search" type="search" placeholder="Search" aria-label="Search tools, states and calls" .value=${ui.search}
        @input=${(event: Event) => actions.set({ search: textOf(event) })} />
      ${ui.player === undefined ? liveButtons(site) : html`<button @click=${actions.leaveRecording}>Back to live</button>`}
    </header>
    ${ui.connection === "lost" && ui.picture !== undefined ? html`<p class="fault" role="status">The server does not answer. What you see is the last that it sent; trying again …</p>` : nothing}
    ${ui.fault === undefined ? nothing : html`<p class="fault" role="alert">${ui.fault} <button @click=${() => actions.set({ fault: undefined })}>Dismiss</button></p>`}
  `
}

const PROFILES = ["", ...profileNames]

function liveButtons({ ui, actions }: ViewSite): TemplateResult {
  return html`
    <button aria-pressed=${ui.paused} @click=${() => actions.set({ paused: !ui.paused })}>${ui.paused ? "Resume" : "Pause"}</button>
    <button class=${ui.recording ? "hot" : ""} aria-pressed=${ui.recording} @click=${actions.toggleRecording}>
      ${ui.recording ? "Save recording" : "Record"}</button>
    <label class="button">Open …<input type="file" accept=".jsonl" class="unseen" aria-label="Open a recording"
      @change=${(event: Event) => {
        const [file] = (event.target as HTMLInputElement).files ?? [] // the input above
        if (file) void actions.openFile(file)
      }} /></label>
  `
}

function costView({ costs, exposure, profile }: UiState): TemplateResult {
  if (costs === undefined) return html`<span class="cost"></span>`
  const { tokens, chars } = costs[exposure]
  const title = `Cost of the list for a model: ${chars.toLocaleString("en")} characters, ${tokens.toLocaleString("en")} tokens (${costs.encoding})${profile && `, for ${profile}`}`
  return html`<span class="cost" title=${title}><b>${tokens.toLocaleString("en")}</b> tokens · ${(chars / 1_000).toFixed(1)} kB</span>`
}

function textOf(event: Event): string {
  // Only inputs and selects have this listener.
  return (event.target as HTMLInputElement | HTMLSelectElement).value
}
