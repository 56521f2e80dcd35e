import type { IncomingMessage, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import type { AuthInfo } from "@modelcontextprotocol/server"
import { createDeferred } from "@x/base"
import type { McpAdapter } from "../../create-adapter.js"
import { once } from "../../runtime/host.js"
import { createRoster, type Roster } from "../../runtime/slots.js"
import { createHttpEndpoint, type FetchOptions, type HttpEndpoint } from "../fetch.js"
import { type Encoded, sizeOfEncoded } from "../server/encoded.js"
import { type Answer, type Exchange, type RequestHead, WELL_KNOWN } from "./exchange.js"
import { createBodyReader } from "./node-body.js"
import { agreeHeaders } from "./node-headers.js"
import { type NodeContext, type NodePair, toNodePair, type WrappedReply, type WrappedRequest } from "./node-pair.js"

/** Serves MCP from a Node server of your own. */
export interface NodeHandler {
  /** Answers one request, at whatever path you mount it. */
  readonly handle: NodeHandle
  /** Lets calls finish, ends all streams and sessions, and resolves once they are gone. Idempotent. */
  close(): Promise<void>
}

/**
 * Answers one request, given what the framework passes to its handlers. The promise resolves when the answer, or its stream, has
 * ended, and never rejects. A framework that awaits it, such as Koa, sends no answer of its own.
 *
 * @throws AdapterError `invalid_argument` if the arguments contain no Node request.
 */
export interface NodeHandle {
  /**
   * Takes Node's own request and response, as in `node:http`, Express, Nest and Next's API routes.
   *
   * @param parsedBody - The body, if something has already read it. A body that a parser stored as `request.body` is found without it.
   */
  (request: IncomingMessage, response: ServerResponse, parsedBody?: unknown): Promise<void>
  /** Takes the request and reply of Fastify. */
  (request: WrappedRequest, reply: WrappedReply, parsedBody?: unknown): Promise<void>
  /** Takes the context of Koa. */
  (context: NodeContext, next?: unknown, parsedBody?: unknown): Promise<void>
}

/**
 * Creates a handler for `node:http`, Express, Fastify, Koa, Nest and any other framework with Node's request and response.
 *
 * @throws AdapterError `invalid_option` for an unknown or invalid option.
 * @example
 * ```ts
 * import { createServer } from "node:http"
 * import { createAgenticService } from "@x/agentic-service"
 * import { createMcpAdapter } from "@x/mcp-adapter"
 * import { createNodeHandler } from "@x/mcp-adapter/http"
 *
 * const adapter = createMcpAdapter(createAgenticService({ name: "door" }))
 * const mcp = createNodeHandler(adapter)
 * const server = createServer((request, response) => {
 *   if (request.url === "/mcp") mcp.handle(request, response) // in Express: app.all("/mcp", mcp.handle)
 *   else response.end("the rest of the application")
 * }).listen(3000, "127.0.0.1")
 * await mcp.close() // before the server closes, so that running calls can finish
 * server.close()
 * adapter.close()
 * ```
 */
export function createNodeHandler(adapter: McpAdapter, options: FetchOptions = {}): NodeHandler {
  return toNodeHandler(createHttpEndpoint(adapter, options))
}

/**
 * Creates a Node handler for an endpoint.
 *
 * @example
 * ```ts
 * import { createAgenticService } from "@x/agentic-service"
 * import { createMcpAdapter } from "@x/mcp-adapter"
 * import { createHttpGate, toNodeHandler } from "@x/mcp-adapter/http"
 *
 * const adapter = createMcpAdapter(createAgenticService({ name: "door" }))
 * const gate = createHttpGate(adapter, {}, async (visitor) => visitor.send({ status: 200, body: "hello" }))
 * const hello = toNodeHandler({ ...gate, close: gate.idle })
 * // In Express: app.get("/hello", hello.handle)
 * await hello.close()
 * adapter.close()
 * ```
 */
export function toNodeHandler({ answer, close }: HttpEndpoint): NodeHandler {
  return {
    handle(request: unknown, response: unknown, parsedBody?: unknown) {
      const over = createDeferred()
      // Express passes its `next` function here.
      const body = typeof parsedBody === "function" ? undefined : parsedBody
      const exchange = toNodeExchange(toNodePair(request, response), body)
      exchange.onOver(() => over.resolve())
      // Never rejects.
      void answer(exchange)
      return over.promise
    },
    close,
  }
}

/** A Node request, with properties that a framework may have added. */
type NodeRequest = IncomingMessage & { readonly auth?: AuthInfo }

/**
 * Creates an exchange for one request of `node:http` or a compatible server, working on the socket directly, without web
 * objects.
 *
 * @param parsedBody - The body, if a body parser has already read it.
 */
function toNodeExchange({ request, response, sent, leftBody }: NodePair, parsedBody?: unknown): Exchange {
  const { auth }: NodeRequest = request
  const body = createBodyReader(request, response)
  const ending = followEnd(request, response)
  let answered = false
  const begin = ({ status, headers = {} }: Answer): boolean => {
    // A framework may have answered; that is reported at the end.
    if (answered || ending.isOver() || response.headersSent) return false
    answered = true
    response.writeHead(status, agreeHeaders(response, headers))
    return true
  }
  return {
    head: toNodeHead(request, sent),
    extra: { authInfo: auth, remoteAddress: request.socket.remoteAddress, sentTarget: sent, parsedBody },
    read: body.read,
    leftBody,
    answeredElsewhere: () => !answered && response.headersSent,
    send(answer) {
      const { body: content = "", status } = answer
      // Without a length, Node would send the body in chunks.
      const length = String(lengthOf(content))
      if (!begin(status === 204 ? answer : { status, headers: { "content-length": length, ...answer.headers } })) return
      if (Array.isArray(content)) writePieces(response, content)
      else response.end(content)
      body.answered()
    },
    begin(answer) {
      if (!begin(answer)) return
      response.flushHeaders()
      body.answered()
    },
    write(text) {
      if (!answered || ending.isOver() || response.writableEnded) return
      if (typeof text === "string") response.write(text)
      else for (const piece of text) response.write(piece)
    },
    end() {
      if (answered && !ending.isOver()) response.end()
    },
    unread: () => (ending.isOver() ? 0 : response.writableLength),
    onRoom: (callback) => void response.on("drain", callback),
    // Of HTTP/2 only the stream; of HTTP/1 the connection, because answers wait there for earlier ones.
    drop: () => void (request.httpVersionMajor > 1 ? response.destroy() : request.socket.destroy()),
    onOver: ending.onOver,
  }
}

function lengthOf(body: Uint8Array | Encoded): number {
  if (typeof body === "string") return Buffer.byteLength(body)
  return body instanceof Uint8Array ? body.length : sizeOfEncoded(body)
}

/** Writes all pieces with one system call. */
function writePieces(response: ServerResponse, pieces: readonly Uint8Array[]): void {
  response.cork()
  for (const piece of pieces) response.write(piece)
  response.end()
}

/** @param sent - The target before a router removed a prefix, used for public metadata, whose path must be whole. */
function toNodeHead(request: IncomingMessage, sent: string | undefined): RequestHead {
  const { headers } = request
  const url = sent?.startsWith(WELL_KNOWN) ? sent : (request.url ?? "/")
  return {
    method: request.method ?? "GET",
    url: url.startsWith("/") ? `${schemeOf(request)}://${hostOf(request) ?? "unknown.invalid"}${url}` : url,
    headers: {
      get(name) {
        const lower = name.toLowerCase()
        return lower === "host" ? hostOf(request) : asText(headers[lower])
      },
    },
  }
}

function schemeOf({ socket }: IncomingMessage): string {
  return "encrypted" in socket ? "https" : "http"
}

/**
 * Returns all `Host` headers joined: Node keeps only the first, and a proxy may have used another. The host of an absolute
 * request target takes precedence (RFC 9112, 3.2).
 */
function hostOf({ headers, rawHeaders, url = "/" }: IncomingMessage): string | null {
  if (!url.startsWith("/")) return url.split(/[/?#]/, 3)[2] ?? ""
  let hosts: string | undefined
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? ""
    if (name.length !== 4 || name.toLowerCase() !== "host") continue
    const value = rawHeaders[index + 1] ?? ""
    hosts = hosts === undefined ? value : `${hosts}, ${value}`
  }
  return hosts ?? asText(headers.host ?? headers[":authority"])
}

function asText(value: string | readonly string[] | undefined): string | null {
  if (value === undefined) return null
  return typeof value === "string" ? value : value.join(", ")
}

/** Tracks when an answer ends, and its listeners. */
type Ending = Pick<Exchange, "onOver"> & { isOver(): boolean }

function followEnd(request: IncomingMessage, response: ServerResponse): Ending {
  let gone: boolean | undefined
  const waiting: ((gone: boolean) => void)[] = []
  const over = once(() => {
    leave()
    gone = !response.writableFinished
    for (const callback of waiting) callback(gone)
  })
  // An answer queued behind others gets no event when their connection breaks, so the socket itself is watched.
  const leave = onSocketClose(request.socket, over)
  response.once("close", over)
  response.on("error", ignore)
  return {
    isOver: () => gone !== undefined,
    onOver(callback) {
      if (gone === undefined) waiting.push(callback)
      else callback(gone)
    },
  }
}

function ignore(): void {}

const listeners = new WeakMap<Socket, Roster<() => void>>()

/** Registers one listener for each connection, however many requests it carries. */
function onSocketClose(socket: Socket, callback: () => void): () => void {
  const callbacks = listeners.get(socket) ?? createRoster<() => void>()
  if (!listeners.has(socket)) {
    listeners.set(socket, callbacks)
    socket.once("close", () => {
      for (const each of callbacks.all()) each()
    })
  }
  return callbacks.add(callback)
}
