import { action, createAgenticService } from "@x/agentic-service"
import { BehaviorSubject } from "rxjs"
import { describe, expect, it } from "vitest"
import { createMcpAdapter } from "../create-adapter.js"
import type { McpAdapterOptions } from "../options.js"

/** What is told of a service whose only action takes a pair, while the action goes and comes back. */
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
  it("tells once what clients have in words only, and what to do", async () => {
    expect(await diagnose({})).toEqual([
      'action "move" is published with "prefixItems" at "/properties/pair" in words only: choose another "publish.profile" if your clients take more',
    ])
  })

  it("is silent where the schema says it all", async () => {
    expect(await diagnose({ publish: { profile: "verbatim" } })).toEqual([])
  })
})
