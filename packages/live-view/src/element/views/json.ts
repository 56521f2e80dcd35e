import { html, nothing, type TemplateResult } from "lit-html"

/** Renders a value: text as it is, anything else as JSON whose names, texts and other values have colours of their own. */
export function jsonView(value: unknown): TemplateResult {
  if (typeof value === "string") return html`<pre class="value">${value}</pre>`
  return html`<pre class="value">${colour(JSON.stringify(value, null, 2) ?? "")}</pre>`
}

/** The most coloured parts, because each is an element. */
const MOST = 2_000

/** A name before its colon, a text, or a number or word. */
const PART = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(?:true|false|null)\b|-?\d[\d.eE+-]*/g

function colour(text: string): readonly unknown[] {
  const parts: unknown[] = []
  let end = 0
  for (const match of text.matchAll(PART)) {
    if (parts.length > MOST) break
    const [whole, quoted, colon] = match
    const kind = colon !== undefined ? "key" : quoted !== undefined ? "text" : "plain"
    parts.push(text.slice(end, match.index), html`<span data-json=${kind}>${quoted ?? whole}</span>`, colon ?? nothing)
    end = match.index + whole.length
  }
  return [...parts, text.slice(end)]
}
