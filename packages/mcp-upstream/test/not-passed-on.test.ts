import { Client } from "@modelcontextprotocol/client"
import { McpServer } from "@modelcontextprotocol/server"
import { createAgenticService, link } from "@x/agentic-service"
import { createMcpAdapter } from "@x/mcp-adapter"
import { connectInMemory } from "@x/mcp-adapter/in-memory"
import { describe, expect, it, onTestFinished } from "vitest"
import { fromMcpServer, mcpExtension } from "../src/index.js"
import { type Era, inMemory } from "./servers.js"

describe.each<Era>(["legacy", "modern"])("a gateway between a %s client and a server", (era) => {
  it("keeps each side's name to itself", async () => {
    const { client, seen } = await open(era)

    expect(client.getServerVersion()?.name).toBe("gateway")
    expect(seen.clientName).not.toBe("ann")
  })
})

describe.each<Era>(["legacy", "modern"])("a URI in none of a server's lists, read by a %s client", (era) => {
  it("is not found, and the server is not asked for it", async () => {
    const { client, seen } = await open(era)

    await expect(client.readResource({ uri: "site://unlisted" })).rejects.toThrow(/not found/i)
    expect(seen.reads).toEqual([])
    await client.readResource({ uri: "site://listed" })
    expect(seen.reads).toEqual(["site://listed"])
  })
})

describe("a change of a client's roots", () => {
  it("is not announced to the server, which is told so when it connects", async () => {
    const { client, seen } = await open("legacy")

    await client.sendRootsListChanged()
    await client.callTool({ name: "site__step" })

    expect(seen.rootsChanged).toBe(0)
    expect(seen.roots).toEqual({})
  })
})

/** The observations of a server. */
interface Seen {
  clientName?: string | undefined
  roots?: unknown
  rootsChanged: number
  readonly reads: string[]
}

/** Opens a client of a gateway of one server, and records what each side sees of the other. */
async function open(era: Era) {
  const seen: Seen = { rootsChanged: 0, reads: [] }
  const make = (): McpServer => {
    const server = new McpServer({ name: "site", version: "1" })
    server.server.setNotificationHandler("notifications/roots/list_changed", () => {
      seen.rootsChanged += 1
    })
    server.server.registerCapabilities({ resources: {} })
    server.server.setRequestHandler("resources/list", () => ({ resources: [{ uri: "site://listed", name: "listed" }] }))
    server.server.setRequestHandler("resources/read", ({ params: { uri } }) => {
      seen.reads.push(uri)
      return { contents: [{ uri, text: "text" }] }
    })
    server.registerTool("step", {}, () => {
      seen.clientName = server.server.getClientVersion()?.name
      seen.roots = server.server.getClientCapabilities()?.roots
      return { content: [] }
    })
    return server
  }
  const upstream = fromMcpServer({ transport: inMemory(make) }, { name: "site" })
  const service = createAgenticService({ name: "gateway", links: { site: link({ service: upstream }) } })
  const adapter = createMcpAdapter(service, { limits: { readyWaitMs: 5_000 } })
  const extension = mcpExtension(service)
  const capabilities = { roots: { listChanged: true } }
  const client = new Client(
    { name: "ann", version: "0" },
    { capabilities, ...(era === "modern" && { versionNegotiation: { mode: "auto" as const } }) },
  )
  const transport = connectInMemory(adapter, { extension })
  await client.connect(transport)
  onTestFinished(async () => {
    await client.close()
    extension.close()
    adapter.close()
    await upstream.close()
  })
  await client.listTools()
  await client.callTool({ name: "site__step" })
  return { client, seen }
}
