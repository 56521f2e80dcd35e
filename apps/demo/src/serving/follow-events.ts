import type { McpAdapter } from "@x/mcp-adapter"
import { describeEvent } from "./describe-event.js"

/** Tells what happens in an adapter as it happens, until the adapter is closed. */
export function followEvents(adapter: McpAdapter, tell: (line: string) => void): void {
  tell("What happens from now on:")
  adapter.events.subscribe((event) => {
    const time = new Date().toTimeString().slice(0, 8)
    for (const line of describeEvent(event)) tell(`${time}  ${line}`)
  })
}
