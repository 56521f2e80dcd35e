import { html, type TemplateResult } from "lit-html"
import type { ViewSite } from "./view-site.js"

/** What happened, in words, the newest first. */
export function storyView({ ui }: ViewSite): TemplateResult {
  const lines = ui.story.slice(-150).reverse()
  if (lines.length === 0) return html`<p class="empty">Nothing has happened since you began to look.</p>`
  return html`<ol class="story scroll" reversed tabindex="0" aria-label="What happened">
    ${lines.map(({ at, text, tone }) => html`<li data-tone=${tone}><time>${(at / 1_000).toFixed(2)} s</time> ${text}</li>`)}
  </ol>`
}
