import { once } from "node:events"
import { fileURLToPath } from "node:url"
import {
  Client,
  type ClientCapabilities,
  StreamableHTTPClientTransport,
  type Transport,
} from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { WebSocket } from "ws"
import { serveHttp } from "../../src/border/http.js"
import { connectInMemory } from "../../src/border/in-memory.js"
import { createMcpAdapter, type McpAdapter } from "../../src/create-adapter.js"
import { createBoard } from "./board.mjs"
import type { LegClient } from "./leg-client.js"
import { serveWebSocket } from "./serve-websocket.js"

/** A real client of the SDK, connected to a board over one leg. */
export interface Connected {
  /** The client, in the era that was asked for. */
  readonly client: LegClient
  /** Makes `undo` appear or disappear, with no request in flight. */
  toggle(): void
  /** Changes the state `count`, with no request in flight. */
  count(): void
  /** Ends both sides. */
  close(): Promise<void>
  /** What is served, where it is in this process. */
  readonly adapter?: McpAdapter
}

/** The two eras. */
export type Era = "legacy" | "modern"

/** The ways to connect. */
export const connectors = {
  "in-memory": overMemory,
  http: overHttp,
  stdio: overStdio,
  websocket: overWebSocket,
} as const

/** A client that speaks one era to a server that speaks both. */
export function createClient(era: Era, capabilities: ClientCapabilities = {}): Client {
  const info = { name: "test", version: "0" }
  return new Client(info, { capabilities, ...(era === "modern" && { versionNegotiation: { mode: "auto" } }) })
}

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

/** A transport that says when a legacy session's stream is open: what is sent before is lost. */
export function createHttpTransport(
  url: string,
  authorization = "",
): {
  readonly transport: StreamableHTTPClientTransport
  readonly streaming: Promise<void>
} {
  let opened = () => {}
  const streaming = new Promise<void>((resolve) => {
    opened = resolve
  })
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { authorization } },
    async fetch(input, init) {
      const response = await fetch(input, init)
      if (init?.method === "GET" && response.ok) opened()
      return response
    },
  })
  return { transport, streaming }
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

/** The client's end, for a socket that is about to open. */
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
