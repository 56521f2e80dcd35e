import { describe, expect, it, onTestFinished } from "vitest"
import { serveHttp } from "../src/border/http.js"
import { connectInMemory } from "../src/border/in-memory.js"
import { createMcpAdapter } from "../src/create-adapter.js"
import { createBoard } from "./support/board.mjs"
import { createClient, createHttpTransport, type Era } from "./support/connect.js"

const ERAS: readonly Era[] = ["legacy", "modern"]
const legs = ["in-memory", "http"].flatMap((transport) => ERAS.map((era) => [transport, era] as const))

/** Connects a client to a board with waits for states and one running call at a time. */
async function connect(transport: string, era: Era) {
  const { service, count } = createBoard()
  const adapter = createMcpAdapter(service, { calls: { running: 1, waiting: 0 } })
  const client = createClient(era)
  onTestFinished(() => client.close().finally(adapter.close))
  if (transport === "in-memory") await client.connect(connectInMemory(adapter, { tools: { waitFor: true } }))
  else {
    const server = await serveHttp(adapter, { port: 0, tools: { waitFor: true } })
    onTestFinished(() => server.close())
    await client.connect(createHttpTransport(server.url).transport)
  }
  const waitFor = (given: Record<string, unknown>, options = {}) =>
    client.callTool({ name: "wait_for", arguments: { key: "count", ...given } }, options)
  /** Waits until the wait has started on the server. */
  const begun = () => expect.poll(() => adapter.ledger.counts().call).toBe(1)
  return { adapter, client, count, waitFor, begun }
}

describe.each(legs)("wait_for over %s, %s", (transport, era) => {
  it("is answered when the state fulfils the condition, while other calls run", async () => {
    const { client, waitFor, begun } = await connect(transport, era)
    const waiting = waitFor({ above: 1 })
    await begun()

    for (let times = 0; times < 2; times += 1) await client.callTool({ name: "add" })

    // Changes reported by earlier calls are not repeated.
    expect(await waiting).toMatchObject({ content: [{ text: expect.stringContaining('"met":true,"value":2') }] })
  })

  it("releases everything when the client cancels", async () => {
    const { adapter, waitFor, begun } = await connect(transport, era)
    const cancel = new AbortController()
    const waiting = waitFor({}, { signal: cancel.signal })
    await begun()

    cancel.abort()

    await expect(waiting).rejects.toThrow()
    await expect.poll(() => adapter.ledger.counts().call).toBe(0)
    // One timer keeps the client's streams alive.
    const { stream, timer } = adapter.ledger.counts()
    expect(timer).toBeLessThanOrEqual(transport === "http" ? Math.min(stream, 1) : 0)
  })
})
