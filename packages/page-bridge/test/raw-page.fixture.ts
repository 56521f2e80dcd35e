// A page without a browser: it sends the same frames, and can therefore lie.
import { once } from "node:events"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import type { AgenticService } from "@x/agentic-service"
import { offerService, type WireEnd } from "@x/service-wire"
import { fromWebSocket } from "@x/service-wire/websocket"
import { WebSocket } from "ws"
import { type BridgeChannel, PROTOCOL, partChannel, TOKEN_PREFIX } from "../src/bridge-frames.js"

/** The page's introduction; omitted fields are valid. */
export interface RawPageOptions {
  readonly port: number
  readonly path?: string
  readonly origin?: string | undefined
  readonly host?: string
  readonly token?: string | undefined
  readonly protocols?: readonly string[]
  readonly cookie?: string
  readonly app?: string
  readonly tab?: string
  readonly load?: string
  readonly title?: string
  readonly focused?: boolean
}

/** An admitted page, or the answer it got instead. */
export interface RawPage {
  readonly socket: WebSocket
  readonly bridge: BridgeChannel
  /** `welcome`, `refused unauthorized`, or the status of the rejected upgrade. */
  readonly came: string
  readonly offer: WireEnd | undefined
  /** The tab's id. */
  readonly tab: string | undefined
  readonly closed: Promise<unknown>
}

/** Opens a page, and offers a service if it is admitted. */
export async function openRawPage(service: AgenticService | undefined, options: RawPageOptions): Promise<RawPage> {
  const { port, host = `localhost:${port}`, token, app = service?.name ?? "raw", tab = crypto.randomUUID() } = options
  const origin = "origin" in options ? options.origin : `http://localhost:${port}`
  const protocols = options.protocols ?? [
    PROTOCOL,
    ...(token === undefined ? [] : [TOKEN_PREFIX + Buffer.from(token).toString("base64url")]),
  ]
  const socket = new WebSocket(`ws://127.0.0.1:${port}${options.path ?? "/mcp/pages"}`, [...protocols], {
    headers: { host, ...(origin !== undefined && { origin }), ...(options.cookie && { cookie: options.cookie }) },
    allowSynchronousEvents: false,
  })
  socket.on("error", () => {})
  const closed = new Promise((resolve) => {
    socket.once("close", resolve)
  })
  let told = (_said: Readonly<Record<string, unknown>>): void => {}
  const said = new Promise<Readonly<Record<string, unknown>>>((resolve) => {
    told = resolve
  })
  socket.once("unexpected-response", (_request, response) => {
    told({ t: String(response.statusCode) })
    response.resume()
  })
  const bridge = partChannel(fromWebSocket(socket), { said: told, closed: () => told({ t: "closed" }) })
  const { load = crypto.randomUUID(), title = "", focused = false } = options
  bridge.say({ t: "page", app, tab, load, title, focused })
  const first = await said
  const came = first["t"] === "refused" ? `refused ${String(first["code"])}` : String(first["t"])
  const offer = came === "welcome" && service ? offerService(service, bridge.wire) : undefined
  return { socket, bridge, came, offer, closed, tab: typeof first["tab"] === "string" ? first["tab"] : undefined }
}

/** Starts a server on a free port. */
export async function listenOnLoopback(): Promise<{ readonly server: Server; readonly port: number }> {
  const server = createServer()
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  return { server, port: (server.address() as AddressInfo).port }
}
