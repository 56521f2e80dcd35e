// A call whose asynchronous check is pending ends with its caller and with its server, like one that runs.
import { action, createAgenticService } from "@x/agentic-service"
import { firstValueFrom, NEVER } from "rxjs"
import { describe, expect, it, onTestFinished, vi } from "vitest"
import { serveHttp } from "../src/border/http.js"
import { createMcpAdapter } from "../src/create-adapter.js"
import { createClient, createHttpTransport, type Era } from "./support/connect.js"

const never = {
  "~standard": {
    version: 1 as const,
    vendor: "test",
    validate: () => firstValueFrom<{ value: object }>(NEVER),
    jsonSchema: { input: () => ({ type: "object" }), output: () => ({ type: "object" }) },
  },
}

/** Serves an action whose check never ends, and calls it. */
async function start(era: Era) {
  const add = action({ description: "Add", input: never, execute: () => {} })
  const adapter = createMcpAdapter(createAgenticService({ name: "board", actions: { add } }))
  const server = await serveHttp(adapter, { port: 0, drainMs: 1 })
  const client = createClient(era)
  const { transport, streaming } = createHttpTransport(server.url)
  await client.connect(transport)
  if (era === "legacy") await streaming
  onTestFinished(async () => {
    await client.close()
    await server.close()
    adapter.close()
  })
  const heard: string[] = []
  adapter.events.subscribe((event) => {
    if (event.type === "call-started") heard.push("started")
    if (event.type === "call-settled") heard.push(event.outcome.ok ? "done" : String(event.outcome.code))
  })
  const abort = new AbortController()
  const answer = client.callTool({ name: "add", arguments: {} }, { signal: abort.signal }).catch(() => undefined)
  await vi.waitFor(() => expect(heard).toEqual(["started"]))
  return { adapter, server, answer, heard, giveUp: () => abort.abort() }
}

describe.each<Era>(["legacy", "modern"])("a call whose check is pending (%s)", (era) => {
  it("ends when its caller cancels it", { timeout: 10_000 }, async () => {
    const { heard, giveUp, answer, adapter } = await start(era)

    giveUp()
    await answer

    await vi.waitFor(() => expect(heard).toEqual(["started", "aborted"]))
    expect(adapter.ledger.counts().call).toBe(0)
  })

  it("ends when its server closes", { timeout: 10_000 }, async () => {
    const { heard, server } = await start(era)

    await server.close()

    expect(heard).toEqual(["started", "aborted"])
  })

  it("ends when its adapter closes", async () => {
    const { heard, adapter } = await start(era)

    adapter.close()

    await vi.waitFor(() => expect(heard).toEqual(["started", "aborted"]))
  })
})
