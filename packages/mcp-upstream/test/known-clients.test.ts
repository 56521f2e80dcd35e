import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { createMcpAdapter } from "@x/mcp-adapter"
import { serveHttp } from "@x/mcp-adapter/http"
import { describe, expect, it, onTestFinished } from "vitest"
import { createGateway, type GatewayProfile } from "../src/node.js"
import { listen } from "./http-server.js"
import type { Era } from "./servers.js"

/** A schema whose root some vendors refuse. */
const SCHEMA = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  properties: { city: { type: "string" }, zip: { type: "string" } },
  anyOf: [{ required: ["city"] }, { required: ["zip"] }],
}

describe("a gateway before a client", () => {
  it.each<[string, Era, string]>([
    ["@cline/core", "legacy", "as its server wrote it"],
    ["github-copilot-developer", "legacy", "as its server wrote it"],
    ["somebody", "legacy", "rewritten"],
    ["codex-mcp-client", "legacy", "rewritten"],
    // The name that a modern client reports must not change its tools.
    ["@cline/core", "modern", "rewritten"],
  ])("called %s (%s) shows a schema %s, and the server gets its own arguments", async (name, era, how) => {
    const { client, calls } = await connect(name, era)

    const { tools } = await client.listTools()
    const found = tools.find((tool) => tool.name === "site__find")?.inputSchema
    if (how === "rewritten") expect(found).not.toHaveProperty("anyOf")
    else expect(found).toEqual(SCHEMA)

    const args = how === "rewritten" && found?.["required"] !== undefined ? { value: { zip: "1" } } : { zip: "1" }
    await client.callTool({ name: "site__find", arguments: args })
    expect(calls).toEqual([{ zip: "1" }])
  })

  it("shows its schema as the client takes it under a profile without schemas, and leaves out what the profile does", async () => {
    const { client, calls } = await connect("@cline/core", "legacy", { deny: ["site/drop"] })

    const { tools } = await client.listTools()
    await client.callTool({ name: "site__find", arguments: { zip: "1" } })

    expect(tools.find(({ name }) => name === "site__find")?.inputSchema).toEqual(SCHEMA)
    expect(tools.map(({ name }) => name)).not.toContain("site__drop")
    await expect(client.callTool({ name: "site__drop" })).rejects.toMatchObject({ code: -32_602 })
    expect((await client.listPrompts()).prompts.map(({ name }) => name)).toEqual(["site__greet"])
    expect(calls).toEqual([{ zip: "1" }])
  })

  it("follows the schemas of the client's profile", async () => {
    const { client } = await connect("@cline/core", "legacy", { schemas: "portable" })

    const { tools } = await client.listTools()

    expect(tools.find(({ name }) => name === "site__find")?.inputSchema).not.toHaveProperty("anyOf")
  })
})

async function connect(name: string, era: Era, profile?: GatewayProfile) {
  const calls: unknown[] = []
  const url = await listen((_, response, body) => {
    const { id, method, params } = JSON.parse(body === "" ? "{}" : body)
    if (method === "tools/call") calls.push(params.arguments)
    const result = RESULTS[method]
    if (result === undefined) return response.writeHead(id === undefined ? 202 : 405).end()
    response.writeHead(200, { "content-type": "application/json" })
    return response.end(JSON.stringify({ jsonrpc: "2.0", id, result }))
  })
  const gateway = createGateway({
    mcpServers: { site: { url, era: "legacy" } },
    ...(profile && { profiles: { profile } }),
  })
  const adapter = createMcpAdapter(gateway.service, { limits: { readyWaitMs: 5_000 }, ...gateway.adapterOptions })
  const client = new Client({ name, version: "0" }, era === "modern" ? { versionNegotiation: { mode: "auto" } } : {})
  const server = await serveHttp(adapter, { port: 0, extension: gateway.extension, results: { catchUp: false } })
  await client.connect(new StreamableHTTPClientTransport(new URL(server.url)))
  onTestFinished(async () => {
    await client.close()
    await server.close()
    adapter.close()
    await gateway.close()
  })
  return { client, calls }
}

const RESULTS: Readonly<Record<string, unknown>> = {
  initialize: {
    protocolVersion: "2025-11-25",
    capabilities: { tools: {}, prompts: {} },
    serverInfo: { name: "site", version: "1" },
  },
  "tools/list": {
    tools: [
      { name: "find", inputSchema: SCHEMA },
      { name: "drop", inputSchema: { type: "object" } },
    ],
  },
  "prompts/list": { prompts: [{ name: "greet" }] },
  "tools/call": { content: [] },
  ping: {},
}
