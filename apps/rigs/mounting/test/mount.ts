import { once } from "node:events"
import type { Server } from "node:net"
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { createMcpAdapter, type McpAdapter } from "@x/mcp-adapter"
import { createNotes } from "../src/create-notes.js"

/** Starts an example. */
export type Serve = (adapter: McpAdapter, port: number) => Served | Promise<Served>

/** A started example. */
export interface Served {
  /** The server, which may not listen yet. */
  readonly server: Pick<Server, "address"> & NodeJS.EventEmitter
  /** Closes the example. */
  close(): Promise<unknown>
}

/** A running example with its adapter and clients. */
export interface Mounted {
  /** The application's URL. */
  readonly url: string
  /** The served adapter. */
  readonly adapter: McpAdapter
  /** Connects a client of an era. A legacy client's notice stream is open. */
  connect(era: "legacy" | "modern"): Promise<Client>
  /** Posts a raw body to MCP. */
  post(body: string): Promise<Response>
  /** Closes the example first, while its clients are connected, then the clients and the adapter. */
  close(): Promise<void>
}

/** Starts an example on a free port. */
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

/** Creates a transport. `streaming` resolves once a legacy client's notice stream is open: earlier notices are lost. */
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
