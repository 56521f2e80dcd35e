import { html, type TemplateResult } from "lit-html"
import { toCaptions } from "../captions.js"
import type { ViewSite } from "./view-site.js"

/** Plays a recording: step by step, or by itself, and says what happened here. */
export function playerView({ ui, actions }: ViewSite): TemplateResult {
  const { player } = ui
  if (player === undefined) return html``
  const { index, length, playing } = player
  const said = toCaptions(player.current()).map(({ text }) => text)
  const seek = (event: Event): void => {
    // The slider below is all that is listened to.
    actions.seek(Number((event.target as HTMLInputElement).value))
  }
  return html`<footer class="player" aria-label="Recording">
    <button @click=${() => actions.seek(0)} aria-label="To the beginning">⏮</button>
    <button @click=${() => actions.step(-1)} aria-label="One step back" ?disabled=${index === 0}>◀</button>
    <button class="hot" @click=${actions.togglePlaying}>${playing ? "Stop" : "Play"}</button>
    <button @click=${() => actions.step(1)} aria-label="One step on" ?disabled=${index === length}>▶</button>
    <input type="range" min="0" max=${length} .value=${String(index)} @input=${seek} aria-label="Place in the recording" />
    <span class="place">${index} / ${length}</span>
    <p class="caption" role="status">${said.length === 0 ? "…" : said.join(" ")}</p>
  </footer>`
}
