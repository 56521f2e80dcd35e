import { describe, expect, it } from "vitest"
import type { CallSubject } from "../src/calls/adapter-event.js"
import { createMcpAdapter, type McpAdapter } from "../src/create-adapter.js"
import { createBoard } from "./support/board.mjs"
import { connectors, type Era } from "./support/connect.js"
import { sdkClients, sdkV1Connectors } from "./support/connect-sdk-v1.js"
import type { LegClient } from "./support/leg-client.js"

const trace = {
  traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
  tracestate: "vendor=1",
  baggage: "user=ann",
}

/** Collects the start events of calls. */
function follow(adapter: McpAdapter | undefined): readonly CallSubject[] {
  const started: CallSubject[] = []
  adapter?.events.subscribe((event) => {
    if (event.type === "call-started") started.push(event)
  })
  return started
}

async function call(client: LegClient, name: string): Promise<void> {
  const params = { name, _meta: trace }
  await client.callTool(params)
}

describe("the trace that a client names", () => {
  it.each<[keyof typeof connectors, Era]>([
    ["in-memory", "legacy"],
    ["in-memory", "modern"],
    ["http", "legacy"],
    ["http", "modern"],
  ])("is in the events of its calls, with the leg, over %s in the %s era", async (transport, era) => {
    const { client, adapter, close } = await connectors[transport](era)
    const started = follow(adapter)

    await call(client, "add")
    await call(client, "get_state")
    await close()

    const expected = { trace, leg: { transport, era, notices: true } }
    expect(started).toMatchObject([
      { name: "add", ...expected },
      { name: "get_state", ...expected },
    ])
  })

  it.each(["v1", "v2"] as const)("is in the events on a server of SDK v1, from a client of %s", async (sdk) => {
    const { client, adapter, close } = await sdkV1Connectors["in-memory"](sdkClients[sdk])
    const started = follow(adapter)

    await call(client, "add")
    await close()

    expect(started).toMatchObject([{ trace }])
  })

  it("is passed by a direct call", async () => {
    const adapter = createMcpAdapter(createBoard().service)
    const started = follow(adapter)

    await adapter.call("add", {}, { trace })
    adapter.close()

    expect(started).toMatchObject([{ trace }])
  })
})
