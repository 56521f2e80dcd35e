import { fileURLToPath } from "node:url"
import type { Transport } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { describe, expect, it, onTestFinished } from "vitest"
import { connectInMemory } from "../src/border/in-memory.js"
import { createMcpAdapter } from "../src/create-adapter.js"
import { createBurst } from "./support/burst.mjs"
import { createClient } from "./support/connect.js"
import { createLine } from "./support/line.js"

const COUNT = 5_000

const uris = Array.from({ length: COUNT }, (_, index) => `agentic://burst/s${index}_${"x".repeat(200)}`)

/** Opens the client's transport to a service of many states. */
function openTransport(leg: string): { readonly transport: Transport } {
  if (leg === "stdio") {
    const script = fileURLToPath(new URL("support/serve-burst.mjs", import.meta.url))
    return { transport: new StdioClientTransport({ command: process.execPath, args: [script] }) }
  }
  const adapter = createMcpAdapter(createBurst(COUNT), { limits: { states: 10_000 } })
  onTestFinished(adapter.close)
  return { transport: connectInMemory(adapter) }
}

async function connect(leg: string) {
  const client = createClient("legacy")
  onTestFinished(() => client.close())
  await client.connect(openTransport(leg).transport)
  return client
}

describe.each(["in-memory", "stdio"])("5,000 states that change in one task, over %s,", (leg) => {
  it("all reach a legacy client that reads, and the call is answered", async () => {
    const client = await connect(leg)
    for (const uri of uris) await client.subscribeResource({ uri })
    const told = new Set<string>()
    const all = new Promise<void>((resolve) => {
      client.setNotificationHandler("notifications/resources/updated", ({ params }) => {
        told.add(params.uri)
        if (told.size === COUNT) resolve()
      })
    })

    const result = await client.callTool({ name: "shake" })
    await all

    expect([told.size, result.isError]).toEqual([COUNT, undefined])
  })

  it("reach a listening modern client once each, and the call is answered", async () => {
    const { transport } = openTransport(leg)
    await transport.start()
    onTestFinished(() => transport.close())
    const line = createLine(transport, "modern")
    const told: unknown[] = []
    const hear = transport.onmessage
    const all = new Promise<void>((resolve) => {
      transport.onmessage = (message, extra) => {
        if ("method" in message && message.method === UPDATED) told.push(message.params?.["uri"])
        else hear?.(message, extra)
        if (told.length === COUNT) resolve()
      }
    })
    // One request names at most 1,000 resources.
    for (let id = 1; id <= COUNT / 500; id += 1) {
      const listening = line.hears("notifications/subscriptions/acknowledged")
      const resourceSubscriptions = uris.slice((id - 1) * 500, id * 500)
      line.send({ id, method: "subscriptions/listen", params: { notifications: { resourceSubscriptions } } })
      await listening
    }

    const { result } = await line.ask({ id: "call", method: "tools/call", params: { name: "shake", arguments: {} } })
    await all

    expect([result?.["isError"], told.length, new Set(told).size]).toEqual([undefined, COUNT, COUNT])
  })
})

const UPDATED = "notifications/resources/updated"
