import { html, nothing, type TemplateResult } from "lit-html"
import { ref } from "lit-html/directives/ref.js"
import type { CallFrame } from "../../frames/frame.js"
import { toWho } from "../../frames/who.js"
import { toClock, toDuration } from "../times.js"
import type { UiState } from "../ui-state.js"
import { createWindowList } from "../window-list.js"
import { nowOf, type ViewSite } from "./view-site.js"

/** Row height in pixels, equal to the styles'. */
const ROW = 64

/** Creates the list of recent calls, newest first. */
export function createCallsView(site: ViewSite) {
  const { ui, redraw } = site
  const list = createWindowList(ROW, redraw)
  return {
    view(): TemplateResult {
      const { picture, search } = ui
      const words = search.toLowerCase()
      const all = [...(picture?.calls.values() ?? [])]
        .filter(({ name }) => name.toLowerCase().includes(words))
        .reverse()
      const { items, height } = list.take(all.length)
      return html`
        ${picture?.skipped ? html`<p class="hint">${picture.skipped.toLocaleString("en")} calls are not shown, because there were too many.</p>` : nothing}
        <div class="scroll" ${ref(list.attach)} tabindex="0" role="group" aria-label="Calls">
          ${all.length === 0 ? html`<p class="empty">No calls yet. Connect a client, or open a tool and try it.</p>` : nothing}
          <ul class="rows" style="height:${height}px">
            ${items.map(({ index, start }) => {
              const call = all[index]
              return call === undefined ? nothing : callRow(site, call, start)
            })}
          </ul>
        </div>`
    },
    close: (): void => list.close(),
  }
}

/** A symbol for each status, so that colour is not the only sign. */
const SIGNS = { running: "…", handed: "→", asked: "?", stuck: "!", ok: "✓", failed: "✕", late: "↩" }

function callRow({ ui, actions }: ViewSite, call: CallFrame, top: number): TemplateResult {
  const { name, args, status, leg, changed = [], changedMore, code, questions = [] } = call
  const told = args === undefined ? "" : JSON.stringify(args)
  return html`<li class="row call" style="transform:translateY(${top}px)" ?data-open=${ui.selected?.kind === "call" && ui.selected.call.id === call.id}>
    <button class="pick" @click=${() => actions.select({ kind: "call", call })}>
      <span class="sign" data-status=${status} title=${status}>${SIGNS[status]}</span>
      <span class="name">${name}</span>
      <span class="args">${told === "{}" ? "" : told}</span>
      <span class="said">
        ${describeTime(ui, call)}${questions.map((words) => html`: <q>${words.split("\n")[0]}</q>`)} · ${toWho(call)} · ${leg.transport}, ${leg.era}${code ? html` · <b>${code}</b>` : nothing}
        ${changed.slice(0, 4).map((change) => html` <span class="change" data-how=${change.slice(0, 1)}>${change}</span>`)}
        ${changed.length > 4 || changedMore ? html` <span class="change">+${changed.length - 4 + (changedMore ?? 0)} more</span>` : nothing}
      </span>
    </button>
  </li>`
}

/** Returns when a call began, and how it stands: `14:03:27, 12 ms`, `14:03:27, running for 42 s`. */
export function describeTime(ui: UiState, { began, duration, status, progress }: CallFrame): string {
  const clock = ui.picture === undefined ? "" : toClock(ui.picture.start, began)
  const lasts = toDuration(duration ?? Math.max(0, nowOf(ui) - began))
  const stands = {
    running: `running for ${lasts}`,
    handed: `goes on as a task, for ${lasts}${progress === undefined ? "" : `: ${progress}`}`,
    asked: "waits for the person's answer",
    stuck: `told to stop, still running after ${lasts}`,
    late: "ended after its answer was due",
    ok: lasts,
    failed: lasts,
  }[status]
  return clock === "" ? stands : `${clock}, ${stands}`
}
