import { once } from "node:events"
import { fileURLToPath } from "node:url"
import type { Transport } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { WebSocket } from "ws"
import { serveHttp } from "../../src/border/http.js"
import { connectInMemory } from "../../src/border/in-memory.js"
import { createMcpAdapter, type McpAdapter } from "../../src/create-adapter.js"
import { createBoard } from "./board.mjs"
import { createClient, createHttpTransport, type Era } from "./clients.js"
import type { LegClient } from "./leg-client.js"
import { serveWebSocket } from "./serve-websocket.js"

export { createClient, createHttpTransport, type Era } from "./clients.js"

/** A real SDK client, connected to a board over one leg. */
export interface Connected {
  /** The client, in the requested era. */
  readonly client: LegClient
  /** Makes `undo` appear or disappear, with no request in flight. */
  toggle(): void
  /** Changes the state `count`, with no request in flight. */
  count(): void
  /** Ends both sides. */
  close(): Promise<void>
  /** The adapter, unless another process has it. */
  readonly adapter?: McpAdapter
}

/** Ways to connect. */
export const connectors = {
  "in-memory": overMemory,
  http: overHttp,
  stdio: overStdio,
  websocket: overWebSocket,
} as const

async function overMemory(era: Era): Promise<Connected> {
  const { service, ...board } = createBoard()
  const adapter = createMcpAdapter(service)
  const client = createClient(era)
  await client.connect(connectInMemory(adapter))
  return { client, adapter, ...board, close: () => client.close().finally(adapter.close) }
}

async function overHttp(era: Era): Promise<Connected> {
  const { service, ...board } = createBoard()
  const adapter = createMcpAdapter(service)
  const server = await serveHttp(adapter, { port: 0 })
  const client = createClient(era)
  const { transport, streaming } = createHttpTransport(server.url)
  await client.connect(transport)
  if (era === "legacy") await streaming
  const close = async () => {
    await client.close()
    await server.close()
    adapter.close()
  }
  return { client, adapter, ...board, close }
}

async function overStdio(era: Era): Promise<Connected> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [fileURLToPath(new URL("serve-board.mjs", import.meta.url))],
  })
  const client = createClient(era)
  await client.connect(transport)
  const signal = (name: NodeJS.Signals) => () => void process.kill(transport.pid ?? 0, name)
  return { client, toggle: signal("SIGUSR2"), count: signal("SIGHUP"), close: () => client.close() }
}

async function overWebSocket(era: Era): Promise<Connected> {
  const { service, ...board } = createBoard()
  const adapter = createMcpAdapter(service)
  const server = await serveWebSocket(adapter)
  const client = createClient(era)
  await client.connect(createWebSocketTransport(new WebSocket(server.url, "mcp")))
  const close = async () => {
    await client.close()
    await server.close()
    adapter.close()
  }
  return { client, adapter, ...board, close }
}

/** Creates the client's transport for a socket that is about to open. */
export function createWebSocketTransport(socket: WebSocket): Transport {
  const transport: Transport = {
    async start() {
      socket.on("message", (data) => transport.onmessage?.(JSON.parse(String(data))))
      socket.on("error", (error) => transport.onerror?.(error))
      socket.on("close", () => transport.onclose?.())
      await once(socket, "open")
    },
    async send(message) {
      socket.send(JSON.stringify(message))
    },
    async close() {
      if (socket.readyState === socket.CLOSED) return
      const closed = once(socket, "close")
      socket.close()
      await closed
    },
  }
  return transport
}
