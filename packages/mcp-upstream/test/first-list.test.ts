import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { createMcpAdapter } from "@x/mcp-adapter"
import { serveHttp } from "@x/mcp-adapter/http"
import { filter, firstValueFrom, NEVER } from "rxjs"
import { describe, expect, it, onTestFinished } from "vitest"
import { createGateway } from "../src/node.js"
import { serveLab } from "./lab-site.js"
import type { Era } from "./servers.js"

/** The time for the first list. Far below the time to connect, by which a hung server is given up. */
const WAIT_MS = 2_000
const CONNECT_MS = 60_000

describe.each<Era>(["legacy", "modern"])("the first list of a gateway with one hung server, over HTTP (%s)", (era) => {
  it("is there within the operator's time, with the tools of the other servers", async () => {
    const began = Date.now()
    const { client, labListed } = await connect(era, WAIT_MS)
    await labListed()

    const { tools } = await client.listTools()

    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(["lab__add", "list_links"]))
    expect(tools.map(({ name }) => name)).not.toContain("hung__add")
    expect(Date.now() - began).toBeLessThan(CONNECT_MS / 2)
    const { content } = await client.callTool({ name: "list_links" })
    expect(JSON.stringify(content)).toMatch(/hung.*connecting/)
  })

  it("does not delay the client's connection", async () => {
    const { client } = await connect(era, 600_000)

    expect(client.getServerVersion()?.name).toBe("gateway")
  })
})

async function connect(era: Era, readyWaitMs: number) {
  const hung = { command: process.execPath, args: ["-e", "process.stdin.resume(); setInterval(() => {}, 1000)"] }
  const mcpServers = { lab: { url: await serveLab() }, hung: { ...hung, limits: { connectMs: CONNECT_MS } } }
  const gateway = createGateway({ mcpServers })
  const adapter = createMcpAdapter(gateway.service, { ...gateway.adapterOptions, limits: { readyWaitMs } })
  const server = await serveHttp(adapter, { port: 0, extension: gateway.extension })
  const options = era === "modern" ? { versionNegotiation: { mode: "auto" as const } } : {}
  const client = new Client({ name: "test", version: "0" }, options)
  onTestFinished(async () => {
    await client.close()
    await server.close()
    adapter.close()
    await gateway.close()
  })
  const labListed = () =>
    firstValueFrom((gateway.servers().get("lab")?.actions ?? NEVER).pipe(filter((map) => "add" in map)))
  await client.connect(new StreamableHTTPClientTransport(new URL(server.url)))
  return { client, labListed }
}
