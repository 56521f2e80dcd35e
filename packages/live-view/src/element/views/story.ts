import { html, type TemplateResult } from "lit-html"
import { toCaptions } from "../captions.js"
import type { ViewSite } from "./view-site.js"

/** Renders the controls of a recording and the description of its current step. */
export function playerView({ ui, actions }: ViewSite): TemplateResult {
  const { player } = ui
  if (player === undefined) return html``
  const { index, length, playing } = player
  const said = toCaptions(player.current()).map(({ text }) => text)
  const seek = (event: Event): void => {
    // Only the slider below has this listener.
    actions.seek(Number((event.target as HTMLInputElement).value))
  }
  return html`<footer class="player" aria-label="Recording">
    <button @click=${() => actions.seek(0)} aria-label="First step">⏮</button>
    <button @click=${() => actions.step(-1)} aria-label="Previous step" ?disabled=${index === 0}>◀</button>
    <button class="hot" @click=${actions.togglePlaying}>${playing ? "Stop" : "Play"}</button>
    <button @click=${() => actions.step(1)} aria-label="Next step" ?disabled=${index === length}>▶</button>
    <input type="range" min="0" max=${length} .value=${String(index)} @input=${seek} aria-label="Position in the recording" />
    <span class="place">${index} / ${length}</span>
    <p class="caption" role="status">${said.length === 0 ? "…" : said.join(" ")}</p>
  </footer>`
}

/** Renders descriptions of past events, newest first. */
export function storyView({ ui }: ViewSite): TemplateResult {
  const lines = ui.story.slice(-150).reverse()
  if (lines.length === 0) return html`<p class="empty">No activity since you opened this view.</p>`
  return html`<ol class="story scroll" reversed tabindex="0" aria-label="Activity">
    ${lines.map(({ at, text, tone }) => html`<li data-tone=${tone}><time>${(at / 1_000).toFixed(2)} s</time> ${text}</li>`)}
  </ol>`
}
