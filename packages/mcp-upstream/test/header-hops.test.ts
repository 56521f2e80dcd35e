import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { type AgenticService, action, content, createAgenticService } from "@x/agentic-service"
import { createMcpAdapter, type McpAdapterOptions } from "@x/mcp-adapter"
import { serveHttp } from "@x/mcp-adapter/http"
import { filter, firstValueFrom } from "rxjs"
import { describe, expect, it, onTestFinished } from "vitest"
import { fromMcpServer } from "../src/index.js"

const region = { type: "string", "x-mcp-header": "Region" } as const
const place = action({
  description: "Place",
  input: { type: "object", properties: { region }, required: ["region"] } as const,
  execute: (input) => content(undefined, [{ type: "text", text: `placed in ${input.region}` }]),
})

describe("an argument that a header repeats, through a gateway", () => {
  it.each(["verbatim", "portable"] as const)(
    "is repeated and compared on each way, with the profile %s",
    async (profile) => {
      const url = await serve(createAgenticService({ name: "places", actions: { place } }))
      const upstream = fromMcpServer({ url }, { era: "modern", plainNames: true })
      onTestFinished(() => upstream.close())
      await firstValueFrom(upstream.actions.pipe(filter((actions) => "place" in actions)))
      const gateway = await serve(upstream, { publish: { profile } })
      const client = new Client({ name: "test", version: "0" }, { versionNegotiation: { mode: "auto" } })
      await client.connect(new StreamableHTTPClientTransport(new URL(gateway)))
      onTestFinished(() => client.close())

      const { tools } = await client.listTools()
      expect(tools.find(({ name }) => name === "place")?.inputSchema.properties).toMatchObject({ region })
      expect(await client.callTool({ name: "place", arguments: { region: "Zürich" } })).toMatchObject({
        content: [{ text: "placed in Zürich" }],
      })
      for (const at of [url, gateway]) expect(await callBare(at)).toMatchObject({ status: 400, code: -32020 })
    },
  )
})

async function serve(service: AgenticService, options: McpAdapterOptions = {}): Promise<string> {
  const adapter = createMcpAdapter(service, options)
  const server = await serveHttp(adapter, { port: 0 })
  onTestFinished(() => server.close().finally(adapter.close))
  return server.url
}

/** Calls without the header. */
async function callBare(url: string): Promise<{ readonly status: number; readonly code: unknown }> {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
  }
  const params = { name: "place", arguments: { region: "eu" }, _meta }
  const response = await fetch(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": "place",
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }),
  })
  const answer: { readonly error?: { readonly code: number } } = Object(await response.json())
  return { status: response.status, code: answer.error?.code }
}
