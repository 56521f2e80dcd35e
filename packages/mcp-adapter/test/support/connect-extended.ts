import { fileURLToPath } from "node:url"
import type { Client } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { serveHttp } from "../../src/border/http.js"
import { connectInMemory } from "../../src/border/in-memory.js"
import { createMcpAdapter, type McpAdapter } from "../../src/create-adapter.js"
import { createHttpTransport } from "./connect.js"
import { createExtended } from "./extended.mjs"

/** Connects a client to a server with an extension, over one transport. Returns a function that ends both sides. */
export type ConnectExtended = (client: Client) => Promise<{
  /** Ends both sides. */
  close(): Promise<void>
  /** The adapter, unless another process has it. */
  readonly adapter?: McpAdapter
}>

/** Ways to connect. */
export const connectExtended: Readonly<Record<string, ConnectExtended>> = {
  async "in-memory"(client) {
    const { service, extension } = createExtended()
    const adapter = createMcpAdapter(service)
    await client.connect(connectInMemory(adapter, { extension }))
    return { adapter, close: () => client.close().finally(adapter.close) }
  },
  async http(client) {
    const { service, extension } = createExtended()
    const adapter = createMcpAdapter(service)
    const server = await serveHttp(adapter, { port: 0, extension })
    const { transport, streaming } = createHttpTransport(server.url)
    await client.connect(transport)
    if (client.getProtocolEra() === "legacy") await streaming
    const close = async () => {
      await client.close()
      await server.close()
      adapter.close()
    }
    return { adapter, close }
  },
  async stdio(client) {
    const program = fileURLToPath(new URL("serve-extended.mjs", import.meta.url))
    await client.connect(new StdioClientTransport({ command: process.execPath, args: [program] }))
    return { close: () => client.close() }
  },
}
