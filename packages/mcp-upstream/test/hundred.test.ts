import { Client } from "@modelcontextprotocol/client"
import { McpServer } from "@modelcontextprotocol/server"
import { createAgenticService, link } from "@x/agentic-service"
import { createMcpAdapter } from "@x/mcp-adapter"
import { connectInMemory } from "@x/mcp-adapter/in-memory"
import { filter, firstValueFrom } from "rxjs"
import { expect, it, onTestFinished } from "vitest"
import { fromMcpServer } from "../src/index.js"
import type { Holdings } from "../src/upstream.js"
import { inMemory } from "./servers.js"

const MANY = 100

it("holds one connection and one timer for each of a hundred servers at rest, and nothing after they are closed", async () => {
  const upstreams = Array.from({ length: MANY }, (_, index) =>
    fromMcpServer({ transport: inMemory(createEcho) }, { name: `s${index}`, era: "legacy" }),
  )
  const total = (): Holdings => {
    const held = upstreams.map((upstream) => upstream.holdings())
    const sum = (kind: keyof Holdings): number => held.reduce((all, each) => all + each[kind], 0)
    return { connections: sum("connections"), children: sum("children"), timers: sum("timers"), calls: sum("calls") }
  }
  const links = Object.fromEntries(upstreams.map((service) => [service.name, link({ service })]))
  const adapter = createMcpAdapter(createAgenticService({ name: "root", links }), { limits: { readyWaitMs: 20_000 } })
  const client = new Client({ name: "test", version: "0" })
  await client.connect(connectInMemory(adapter))
  onTestFinished(async () => {
    await client.close()
    adapter.close()
  })

  for (const upstream of upstreams) await firstValueFrom(upstream.actions.pipe(filter((map) => "echo" in map)))
  const results = await Promise.all(
    upstreams.map(({ name }) => client.callTool({ name: `${name}__echo`, arguments: {} })),
  )

  expect(results.map(({ content }) => content)).toEqual(upstreams.map(() => [{ type: "text", text: "echo" }]))
  expect(total()).toEqual({ connections: MANY, children: 0, timers: MANY, calls: 0 })
  await Promise.all(upstreams.map((upstream) => upstream.close()))
  expect(total()).toEqual({ connections: 0, children: 0, timers: 0, calls: 0 })
})

function createEcho(): McpServer {
  const server = new McpServer({ name: "echo", version: "1" })
  server.registerTool("echo", { description: "Says it" }, () => ({ content: [{ type: "text", text: "echo" }] }))
  return server
}
