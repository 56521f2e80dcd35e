import type { McpAdapter } from "@x/mcp-adapter"
import { cleanText } from "@x/tool-schemas/json"
import { describeEvent } from "./describe-event.js"
import { paint } from "./paint.js"

/** Tells what happens in an adapter as it happens, until the adapter is closed. */
export function followEvents(adapter: McpAdapter, tell: (line: string) => void): void {
  adapter.events.subscribe((event) => {
    const time = paint("dim", new Date().toTimeString().slice(0, 8))
    // Names and answers are the page's words: nothing of them may move the cursor or hide what is read.
    for (const line of describeEvent(event)) tell(`${time}  ${colour(cleanText(line))}`)
  })
}

/** What came is green, what went or failed is red. */
function colour(line: string): string {
  if (line.startsWith("+")) return paint("green", line)
  return line.startsWith("-") || / failed, /.test(line) ? paint("red", line) : line
}
