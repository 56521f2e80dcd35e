import { once } from "node:events"
import type { AddressInfo } from "node:net"
import type { EndpointOptions, McpAdapter } from "@x/mcp-adapter"
import { checkOptions, createEndpoint, endpointOptionRules, type PipeEnd, servePipe } from "@x/mcp-adapter/binding"
import { type WebSocket, WebSocketServer } from "ws"

/** How {@link serveWebSocket} serves. */
export interface WebSocketOptions extends EndpointOptions {
  /** The origins that pages may connect from; a client that is no page names none. Default: no page may. */
  readonly allowedOrigins?: readonly string[]
  /** How long calls may still run when the server closes, in milliseconds. Default 0. */
  readonly drainMs?: number
}

/** MCP over WebSockets, served. */
export interface WebSocketServing {
  /** Where clients connect. */
  readonly url: string
  /** Ends every connection, and resolves once all is given back. */
  close(): Promise<void>
}

/** Serves MCP over WebSockets on this machine, both eras, a message a frame: a transport as anybody may write one. */
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
    // It closes afterwards.
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
  // With a host and a port, it is no pipe's name.
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

/** How many bytes one message may have. */
const MAX_MESSAGE = 4 * 2 ** 20

/** Resolves once the system has taken it, so that what a peer leaves unread is seen. */
function send(socket: WebSocket, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.send(text, (error) => (error ? reject(error) : resolve()))
  })
}
