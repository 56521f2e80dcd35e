import { Client, InMemoryTransport, type Transport } from "@modelcontextprotocol/client"
import { completable, McpServer, ResourceTemplate } from "@modelcontextprotocol/server"
import type { AgenticService } from "@x/agentic-service"
import { createMcpAdapter, type EndpointOptions, type McpAdapterOptions } from "@x/mcp-adapter"
import { connectInMemory } from "@x/mcp-adapter/in-memory"
import { onTestFinished } from "vitest"
import { z } from "zod"
import { mcpExtension } from "../src/index.js"

/** The protocol's eras. */
export type Era = "legacy" | "modern"

/** Creates an SDK server with all kinds of members. */
export function createLab(): McpServer {
  const server = new McpServer(
    { name: "lab", version: "1.2.3" },
    { capabilities: { logging: {}, resources: { subscribe: true } } },
  )
  server.registerTool(
    "add",
    {
      title: "Add",
      description: "Adds",
      inputSchema: z.object({ a: z.number(), b: z.number() }),
      outputSchema: z.object({ sum: z.number() }),
      annotations: { readOnlyHint: true },
    },
    ({ a, b }) => ({
      content: [{ type: "text", text: `it is ${a + b}`, annotations: { audience: ["user"] } }],
      structuredContent: { sum: a + b },
      _meta: { "lab/cost": 3 },
    }),
  )
  server.registerTool("break", { description: "Fails" }, () => ({
    content: [{ type: "text", text: "broken glass" }],
    isError: true,
  }))
  server.registerTool("wait", { description: "Waits" }, async (context) => {
    const { _meta, signal, notify } = context.mcpReq
    const progressToken = _meta?.progressToken
    if (progressToken !== undefined)
      await notify({
        method: "notifications/progress",
        params: { progressToken, progress: 1, total: 2, message: "half" },
      })
    await new Promise((resolve) => signal.addEventListener("abort", resolve))
    aborted.push(String(signal.aborted))
    return { content: [] }
  })
  server.registerTool("link", { description: "Links" }, () => ({
    content: [{ type: "resource_link", uri: "lab://hidden/7", name: "seven" }],
  }))
  server.registerResource("motto", "lab://motto", { title: "The motto", mimeType: "text/plain", size: 5 }, () => ({
    contents: [{ uri: "lab://motto", mimeType: "text/plain", text: "cave!" }],
  }))
  server.registerResource(
    "page",
    new ResourceTemplate("lab://hidden/{id}", {
      list: undefined,
      complete: { id: (value) => [`${value}1`, `${value}2`] },
    }),
    { description: "A page" },
    (uri, { id }) => ({ contents: [{ uri: uri.href, text: `page ${String(id)}` }] }),
  )
  server.registerPrompt(
    "greet",
    { description: "Greets", argsSchema: z.object({ whom: completable(z.string(), (value) => [`${value}!`]) }) },
    ({ whom }) => ({ messages: [{ role: "user", content: { type: "text", text: `hello ${whom}` } }] }),
  )
  return server
}

/** Aborted calls of `wait`. */
const aborted: string[] = []

/** Serves a new server per connection in memory; in the legacy era connected by hand, as such servers are. */
export function inMemory(
  make: () => McpServer,
  connected: (server: McpServer) => void = () => {},
): () => Promise<Transport> {
  return async () => {
    const [near, far] = InMemoryTransport.createLinkedPair()
    const server = make()
    await server.connect(far)
    connected(server)
    return near
  }
}

/** Connects a client of the given era to a service. */
export async function connectTo(
  service: AgenticService,
  era: Era,
  {
    endpoint = {},
    adapter: options = {},
    capabilities = {},
  }: { endpoint?: EndpointOptions; adapter?: McpAdapterOptions; capabilities?: object } = {},
): Promise<Client> {
  const adapter = createMcpAdapter(service, { notices: { windowMs: 0 }, limits: { readyWaitMs: 5_000 }, ...options })
  const extension = mcpExtension(service)
  const client = new Client(
    { name: "test", version: "0" },
    { capabilities, ...(era === "modern" && { versionNegotiation: { mode: "auto" } }) },
  )
  await client.connect(connectInMemory(adapter, { results: { catchUp: false }, extension, ...endpoint }))
  onTestFinished(async () => {
    await client.close()
    extension.close()
    adapter.close()
  })
  return client
}
