import { action, createAgenticService } from "@x/agentic-service"
import { describe, expect, it } from "vitest"
import { type RequestHead, serveHttp } from "../src/border/http.js"
import { createMcpAdapter } from "../src/create-adapter.js"
import { createClient, createHttpTransport } from "./support/connect.js"

const CLIENTS = 50
const CALLS = 40
/** A client's limit of running calls. */
const AT_ONCE = 4

describe("2,000 calls of 50 clients of both eras", () => {
  it("each run once and are answered once", async () => {
    const { url, ran, settled, close } = await serve()
    const errors: Error[] = []

    const answers = await Promise.all(
      Array.from({ length: CLIENTS }, (_, index) => useClient(`${url}`, { index, errors })),
    )

    const all = Array.from({ length: CLIENTS * CALLS }, (_, n) => n)
    expect(answers.flat().sort((a, b) => a - b)).toEqual(all)
    expect(ran.sort((a, b) => a - b)).toEqual(all)
    expect([settled.length, new Set(settled).size]).toEqual([all.length, all.length])
    // A second answer matches no open request.
    expect(errors).toEqual([])
    expect(await close()).toEqual([])
  }, 300_000)
})

async function serve() {
  const ran: number[] = []
  const settled: string[] = []
  const input = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] } as const
  const service = createAgenticService({
    name: "echo",
    actions: {
      echo: action({
        description: "Say it again, later",
        input,
        output: input,
        async execute({ n }) {
          ran.push(n)
          await new Promise((resolve) => setImmediate(resolve))
          return { n }
        },
      }),
    },
  })
  const adapter = createMcpAdapter(service, { calls: { running: AT_ONCE, waiting: 0 } })
  adapter.events.subscribe((event) => {
    if (event.type === "call-settled" && event.outcome.ok) settled.push(event.id)
  })
  const principal = (head: RequestHead) => ({ id: head.headers.get("authorization") ?? "" })
  const server = await serveHttp(adapter, { port: 0, principal })
  const close = async () => {
    await server.close()
    adapter.close()
    return Object.entries(adapter.ledger.counts()).filter(([, count]) => count > 0)
  }
  return { url: server.url, ran, settled, close }
}

/** Connects a client that makes its calls, a few at once, and returns the answers. */
async function useClient(url: string, { index, errors }: { index: number; errors: Error[] }): Promise<number[]> {
  const client = createClient(index % 2 === 0 ? "legacy" : "modern")
  client.onerror = (error) => errors.push(error)
  await client.connect(createHttpTransport(url, `client ${index}`).transport)
  const waiting = Array.from({ length: CALLS }, (_, call) => index * CALLS + call)
  const answers: number[] = []
  const work = async () => {
    for (let n = waiting.shift(); n !== undefined; n = waiting.shift()) {
      const { structuredContent } = await client.callTool({ name: "echo", arguments: { n } })
      answers.push(Number(Object(structuredContent).n))
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  client.onerror = () => {} // Errors after the test are expected.
  await client.close()
  return answers
}
