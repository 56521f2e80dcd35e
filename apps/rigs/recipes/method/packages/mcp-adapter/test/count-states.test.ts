import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js"
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js"
import { Server } from "@modelcontextprotocol/sdk/server/index.js"
import { createAgenticService, state } from "@x/agentic-service"
import { describe, expect, it, onTestFinished } from "vitest"
import { z } from "zod"
import { serveHttp } from "../src/border/http.js"
import { connectInMemory } from "../src/border/in-memory.js"
import { createMcpAdapter } from "../src/create-adapter.js"
import { bindSdkV1 } from "../src/sdk-v1/bind-sdk-v1.js"
import { createClient, createHttpTransport } from "./support/connect.js"

const request = { method: "states/count" }
const result = z.object({ count: z.number() })

describe("states/count", () => {
  it.each(["legacy", "modern"] as const)("is answered over HTTP and in memory in the %s era", async (era) => {
    const adapter = createBoardAdapter()
    const server = await serveHttp(adapter, { port: 0 })
    onTestFinished(() => server.close())
    const transports = [createHttpTransport(server.url).transport, connectInMemory(adapter)]
    const clients = await Promise.all(
      transports.map(async (transport) => {
        const client = createClient(era)
        await client.connect(transport)
        return client
      }),
    )

    const counts = await Promise.all(clients.map((client) => client.request(request, result)))

    expect(counts).toMatchObject([{ count: 2 }, { count: 2 }])
    expect(clients.map((client) => client.getProtocolEra())).toEqual([era, era])
    await Promise.all(clients.map((client) => client.close()))
  })

  it("is answered by a server of SDK v1", async () => {
    const server = new Server({ name: "board", version: "0" })
    bindSdkV1(createBoardAdapter(), server)
    const client = new ClientV1({ name: "test", version: "0" })
    const [mine, other] = InMemoryTransport.createLinkedPair()
    await Promise.all([server.connect(other), client.connect(mine)])
    onTestFinished(() => client.close())

    expect(await client.request(request, result)).toEqual({ count: 2 })
  })
})

function createBoardAdapter() {
  const one = state({ schema: {}, value: 1 })
  const adapter = createMcpAdapter(createAgenticService({ name: "board", states: { a: one, b: one } }))
  onTestFinished(adapter.close)
  return adapter
}
