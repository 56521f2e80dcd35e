import { action, createAgenticService } from "@x/agentic-service"
import { BehaviorSubject } from "rxjs"
import { describe, expect, it } from "vitest"
import { createMcpAdapter } from "../create-adapter.js"
import type { McpAdapterOptions } from "../options.js"

/** Returns the diagnostics of a service whose only action takes a pair, while the action disappears and returns. */
async function diagnose(options: McpAdapterOptions) {
  const when = new BehaviorSubject(true)
  const input = {
    type: "object",
    properties: { pair: { items: [{ type: "string" }, { type: "number" }] } },
  } as const
  const move = action({ description: "Move", input, when, execute: () => undefined })
  const adapter = createMcpAdapter(createAgenticService({ name: "board", actions: { move } }), options)
  const told: string[] = []
  adapter.events.subscribe((event) => event.type === "diagnostic" && told.push(event.diagnostic.message))
  await adapter.list()
  when.next(false)
  await adapter.list()
  when.next(true)
  await adapter.list()
  adapter.close()
  return told
}

describe("createLoosenedReport", () => {
  it("reports once which schema parts clients get as prose, and the remedy", async () => {
    expect(await diagnose({})).toEqual([
      'action "move" is published with "prefixItems" at "/properties/pair" as prose only: choose another "publish.profile" if your clients support more',
    ])
  })

  it("is silent when the schema is published completely", async () => {
    expect(await diagnose({ publish: { profile: "verbatim" } })).toEqual([])
  })
})
