import { cleanText } from "@x/base"
import type { McpAdapter } from "@x/mcp-adapter"
import { describeEvent } from "./describe-event.js"
import { paint } from "./paint.js"

/** Logs an adapter's events until it is closed. */
export function followEvents(adapter: McpAdapter, tell: (line: string) => void): void {
  adapter.events.subscribe((event) => {
    const time = paint("dim", new Date().toTimeString().slice(0, 8))
    // Names and answers come from the page, so control characters are removed.
    for (const line of describeEvent(event)) tell(`${time}  ${colour(cleanText(line))}`)
  })
}

/** Colours additions green, and removals and failures red. */
function colour(line: string): string {
  if (line.startsWith("+")) return paint("green", line)
  return line.startsWith("-") || / failed, /.test(line) ? paint("red", line) : line
}
