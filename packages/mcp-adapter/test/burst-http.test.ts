import { describe, expect, it, onTestFinished } from "vitest"
import { serveHttp } from "../src/border/http.js"
import { createMcpAdapter } from "../src/create-adapter.js"
import { createBurst } from "./support/burst.mjs"
import { createClient, createHttpTransport, type Era } from "./support/connect.js"

const COUNT = 5_000
/** The number of URIs per listen request; a request may name fewer than 1,000 values. */
const AT_ONCE = 900

/** Long enough that the first stream gets more than 1 MB, and short enough that one client may listen to all. */
const lengthOf = (index: number) => (index < AT_ONCE ? 1_500 : 100)

const uris = Array.from({ length: COUNT }, (_, index) => `agentic://burst/s${index}_${"x".repeat(lengthOf(index))}`)

async function connect(era: Era) {
  const adapter = createMcpAdapter(createBurst(COUNT, lengthOf), { limits: { states: 10_000 } })
  const server = await serveHttp(adapter, { port: 0 })
  const client = createClient(era)
  const { transport, streaming } = createHttpTransport(server.url)
  await client.connect(transport)
  if (era === "legacy") await streaming
  onTestFinished(async () => {
    await client.close()
    await server.close()
    adapter.close()
  })
  return { client, transport, url: server.url }
}

describe("5,000 subscribed states that change in one task, over HTTP,", () => {
  it.each(["legacy", "modern"] as const)(
    "are all told to a client that reads, each once, and the call is answered, %s",
    async (era) => {
      const { client, transport, url } = await connect(era)
      const told: string[] = []
      const all = new Promise<void>((resolve) => {
        client.setNotificationHandler("notifications/resources/updated", ({ params }) => {
          told.push(params.uri)
          if (told.length === COUNT) resolve()
        })
      })
      if (era === "legacy") await subscribeAll(url, transport.sessionId)
      else
        for (let from = 0; from < COUNT; from += AT_ONCE)
          await client.listen({ resourceSubscriptions: uris.slice(from, from + AT_ONCE) })

      const result = await client.callTool({ name: "shake" })
      await all

      expect([result.isError, told.length, new Set(told).size]).toEqual([undefined, COUNT, COUNT])
    },
  )
})

/** Subscribes directly, because the SDK's client adds a listener to one signal per request. */
async function subscribeAll(url: string, session = ""): Promise<void> {
  for (const [id, uri] of uris.entries()) {
    const response = await fetch(url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-session-id": session,
        "mcp-protocol-version": "2025-11-25",
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: `s${id}`, method: "resources/subscribe", params: { uri } }),
    })
    await response.text()
  }
}
