import { once } from "node:events"
import type { AddressInfo } from "node:net"
import type { EndpointOptions, McpAdapter } from "@x/mcp-adapter"
import { checkOptions, createEndpoint, endpointOptionRules, type PipeEnd, servePipe } from "@x/mcp-adapter/binding"
import { type WebSocket, WebSocketServer } from "ws"

/** Options of {@link serveWebSocket}. */
export interface WebSocketOptions extends EndpointOptions {
  /** Origins of pages that may connect; other clients send none. Default: no page may. */
  readonly allowedOrigins?: readonly string[]
  /** Milliseconds that calls may still run when the server closes. Default 0. */
  readonly drainMs?: number
}

/** A running WebSocket server. */
export interface WebSocketServing {
  /** The URL for clients. */
  readonly url: string
  /** Ends every connection, and resolves once everything is released. */
  close(): Promise<void>
}

/** Serves MCP over WebSockets on this machine, in both eras, one message per frame: an example of a custom transport. */
export async function serveWebSocket(adapter: McpAdapter, options: WebSocketOptions = {}): Promise<WebSocketServing> {
  checkOptions(options, { ...endpointOptionRules, allowedOrigins: "any", drainMs: { from: 0 } })
  const { allowedOrigins = [], drainMs = 0, ...rest } = options
  const endpoint = createEndpoint(adapter, rest)
  const open = new Set<PipeEnd>()
  const serve = (socket: WebSocket, client: string): void => {
    const pipe = servePipe(
      endpoint,
      { send: (text) => send(socket, text), close: () => socket.close() },
      { transport: "websocket", client, drainMs },
    )
    open.add(pipe)
    socket.on("message", (data, isBinary) =>
      isBinary ? pipe.refuse("a frame is binary: expected text") : pipe.receive(String(data)),
    )
    // A close event follows.
    socket.on("error", () => undefined)
    socket.on("close", () => {
      open.delete(pipe)
      pipe.gone()
    })
  }
  const server = new WebSocketServer({
    host: "127.0.0.1",
    port: 0,
    maxPayload: MAX_MESSAGE,
    verifyClient: ({ origin }: { readonly origin?: string }) => origin === undefined || allowedOrigins.includes(origin),
    handleProtocols: (offered) => offered.has("mcp") && "mcp",
  })
  server.on("connection", (socket, { socket: { remoteAddress = "unknown" } }) => serve(socket, remoteAddress))
  await once(server, "listening")
  // With a host and port, the address is no pipe's name.
  const { port } = server.address() as AddressInfo
  return {
    url: `ws://127.0.0.1:${port}`,
    async close() {
      const closed = once(server, "close")
      server.close()
      await Promise.all([...open].map((pipe) => pipe.close()))
      await closed
    },
  }
}

/** The maximum size of one message, in bytes. */
const MAX_MESSAGE = 4 * 2 ** 20

/** Resolves once the system has accepted it, which reveals unread data. */
function send(socket: WebSocket, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.send(text, (error) => (error ? reject(error) : resolve()))
  })
}
