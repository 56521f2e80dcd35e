import { cleanText } from "@x/base"
import type { AdapterEvent, McpAdapter } from "@x/mcp-adapter"
import { describeEvent } from "./describe-event.js"
import { paint } from "./paint.js"

/** Logs an adapter's events until it is closed, but for those that are told in another way. */
export function followEvents(
  adapter: McpAdapter,
  tell: (line: string) => void,
  isToldElsewhere: (event: AdapterEvent) => boolean = () => false,
): void {
  adapter.events.subscribe((event) => {
    if (isToldElsewhere(event)) return
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
