import { once } from "node:events"
import type { Server } from "node:net"
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { createMcpAdapter, type McpAdapter } from "@x/mcp-adapter"
import { createNotes } from "../src/create-notes.js"

/** What each example has. */
export type Serve = (adapter: McpAdapter, port: number) => Served | Promise<Served>

/** What each example gives. */
export interface Served {
  /** The server, which may not listen yet. */
  readonly server: Pick<Server, "address"> & NodeJS.EventEmitter
  /** Ends it. */
  close(): Promise<unknown>
}

/** An example that is being served. */
export interface Mounted {
  /** Where the application is. */
  readonly url: string
  /** What is served. */
  readonly adapter: McpAdapter
  /** A client of the given era, connected; a legacy one's stream is open. */
  connect(era: "legacy" | "modern"): Promise<Client>
  /** Posts a body to MCP, as it is. */
  post(body: string): Promise<Response>
  /** Ends it all, the example first, so that its clients are still there. */
  close(): Promise<void>
}

/** Starts an example on any port. */
export async function mount(serve: Serve): Promise<Mounted> {
  const adapter = createMcpAdapter(createNotes())
  const { server, close } = await serve(adapter, 0)
  if (server.address() === null) await once(server, "listening")
  const address = server.address()
  if (typeof address !== "object" || address === null) throw new Error("the example does not listen on a port")
  const url = `http://127.0.0.1:${address.port}`
  const clients: Client[] = []
  return {
    url,
    adapter,
    async connect(era) {
      const client = new Client(
        { name: "test", version: "0" },
        { versionNegotiation: { mode: era === "modern" ? "auto" : "legacy" } },
      )
      const { transport, streaming } = createTransport(`${url}/mcp`)
      await client.connect(transport)
      if (era === "legacy") await streaming
      clients.push(client)
      return client
    },
    post: (body) =>
      fetch(`${url}/mcp`, {
        method: "POST",
        headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
        body,
      }),
    async close() {
      await close()
      await Promise.all(clients.map((client) => client.close()))
      adapter.close()
    },
  }
}

/** A legacy client's stream opens after it has connected; what is sent before is lost. */
function createTransport(url: string) {
  let opened = () => {}
  const streaming = new Promise<void>((resolve) => {
    opened = resolve
  })
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    async fetch(input, init) {
      const response = await fetch(input, init)
      if (init?.method === "GET") opened()
      return response
    },
  })
  return { transport, streaming }
}
