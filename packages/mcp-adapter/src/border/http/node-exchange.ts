import type { IncomingMessage, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import type { AuthInfo } from "@modelcontextprotocol/server"
import type { McpAdapter } from "../../create-adapter.js"
import { createDeferred, once } from "../../runtime/host.js"
import { createRoster, type Roster } from "../../runtime/slots.js"
import { createHttpEndpoint, type FetchOptions, type HttpEndpoint } from "../fetch.js"
import { type Encoded, sizeOfEncoded } from "../server/encoded.js"
import type { Answer, BodyEnd, Exchange, RequestHead } from "./exchange.js"

/** Serves MCP from a Node server of your own. */
export interface NodeHandler {
  /**
   * Answers one request at whatever path it is mounted.
   *
   * @param parsedBody - The body, where a body parser has read it already (`request.body` in Express).
   */
  handle(request: IncomingMessage, response: ServerResponse, parsedBody?: unknown): void
  /** Lets calls finish, ends all streams and sessions, and resolves once they are gone. Idempotent. */
  close(): Promise<void>
}

/**
 * Creates a handler for `node:http`, Express, Fastify and whatever else has Node's request and response.
 *
 * @throws AdapterError `invalid_option` for an option that there is not, or that cannot be.
 */
export function createNodeHandler(adapter: McpAdapter, options: FetchOptions = {}): NodeHandler {
  return toNodeHandler(createHttpEndpoint(adapter, options))
}

/** Serves a site from Node: its requests are read from the socket, and its answers written to it. */
export function toNodeHandler({ answer, close }: HttpEndpoint): NodeHandler {
  return {
    handle(request, response, parsedBody) {
      // Express hands its `next` to whatever it calls.
      const body = typeof parsedBody === "function" ? undefined : parsedBody
      // Never rejects.
      void answer(toNodeExchange(request, response, body))
    },
    close,
  }
}

/** A request of Node, with what a framework may have put on it. */
type NodeRequest = IncomingMessage & { readonly auth?: AuthInfo; readonly body?: unknown }

/**
 * One request of `node:http`, or of what has Node's request and response: nothing web is made for it. The body is read from
 * the socket, the answer written to it.
 *
 * @param parsedBody - The body, where a body parser has read it already.
 */
function toNodeExchange(request: NodeRequest, response: ServerResponse, parsedBody?: unknown): Exchange {
  const reading = createReading(request, response)
  const ending = followEnd(request, response)
  let answered = false
  const begin = ({ status, headers = {} }: Answer): boolean => {
    if (answered || ending.isOver()) return false
    answered = true
    response.writeHead(status, headers)
    return true
  }
  return {
    head: toNodeHead(request),
    extra: { authInfo: request.auth, remoteAddress: request.socket.remoteAddress, parsedBody },
    read: reading.read,
    // Where Express, Nest, Next and most others have it.
    leftBody: () => request.body,
    send(answer) {
      const { body = "", status } = answer
      // Without a length, Node would send the body in chunks.
      const length = String(lengthOf(body))
      if (!begin(status === 204 ? answer : { status, headers: { "content-length": length, ...answer.headers } })) return
      if (Array.isArray(body)) writePieces(response, body)
      else response.end(body)
      reading.answered()
    },
    begin(answer) {
      if (!begin(answer)) return
      response.flushHeaders()
      reading.answered()
    },
    write(text) {
      if (ending.isOver() || response.writableEnded) return
      if (typeof text === "string") response.write(text)
      else for (const piece of text) response.write(piece)
    },
    end() {
      if (!ending.isOver()) response.end()
    },
    unread: () => (ending.isOver() ? 0 : response.writableLength),
    onRoom: (callback) => void response.on("drain", callback),
    // Of HTTP/2, one stream of the connection; of HTTP/1 all of it, because answers wait there for those before them.
    drop: () => void (request.httpVersionMajor > 1 ? response.destroy() : request.socket.destroy()),
    onOver: ending.onOver,
  }
}

function lengthOf(body: Uint8Array | Encoded): number {
  if (typeof body === "string") return Buffer.byteLength(body)
  return body instanceof Uint8Array ? body.length : sizeOfEncoded(body)
}

/** All of them in one write to the system. */
function writePieces(response: ServerResponse, pieces: readonly Uint8Array[]): void {
  response.cork()
  for (const piece of pieces) response.write(piece)
  response.end()
}

function toNodeHead(request: IncomingMessage): RequestHead {
  const { headers, url = "/" } = request
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
 * All of them where there are several: Node keeps the first, which may not be the one that a proxy went by. What a target names
 * that is a whole URL counts instead (RFC 9112, 3.2).
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

/** Whether an answer is over, and for whom that matters. */
type Ending = Pick<Exchange, "onOver"> & { isOver(): boolean }

function followEnd(request: IncomingMessage, response: ServerResponse): Ending {
  let gone: boolean | undefined
  const waiting: ((gone: boolean) => void)[] = []
  const over = once(() => {
    leave()
    gone = !response.writableFinished
    for (const callback of waiting) callback(gone)
  })
  // An answer that waits for those before it hears nothing when their connection breaks, so the connection itself is asked.
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

/** One listener for each connection, however many requests come over it. */
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

/** How a body is read, and what becomes of what is not. */
interface Reading {
  /** {@link Exchange.read}. */
  read(take: (bytes: Uint8Array) => boolean): Promise<BodyEnd>
  /** Notes that an answer goes out: what still comes in of the body is of no use. */
  answered(): void
}

const heldBack = new WeakSet<IncomingMessage>()

/** Has the body of a request asked for when it is read, and not before: its client waits to hear whether it is wanted (RFC 9110, 10.1.1). */
export function holdBack(request: IncomingMessage): void {
  heldBack.add(request)
}

function createReading(request: IncomingMessage, response: ServerResponse): Reading {
  let stop: (how: BodyEnd) => void = ignore
  return {
    read(take) {
      if (request.readableDidRead) return Promise.resolve("taken")
      if (request.destroyed) return Promise.resolve("broken")
      if (heldBack.delete(request)) response.writeContinue()
      const { promise, resolve } = createDeferred<BodyEnd>()
      const onData = (bytes: Uint8Array): void => {
        if (!take(bytes)) stop("stopped")
      }
      const onEnd = (): void => stop("whole")
      const onClose = (): void => stop("broken")
      stop = (how) => {
        stop = ignore
        request.off("data", onData).off("end", onEnd).off("close", onClose).off("error", onClose)
        if (how === "stopped") request.pause()
        resolve(how)
      }
      request.on("data", onData).on("end", onEnd).on("close", onClose).on("error", onClose)
      return promise
    },
    answered() {
      stop("stopped")
      if (!request.complete) linger(request)
    },
  }
}

/**
 * Takes in what is left of a body whose answer is on its way, and throws it away: a client that is still sending would not
 * read the answer of a connection that is gone. It may send so much, for so long.
 */
function linger(request: IncomingMessage): void {
  const { socket } = request
  let left = LINGER_BYTES
  const onData = (bytes: Uint8Array): void => {
    left -= bytes.length
    if (left < 0) socket.destroy()
  }
  const timer = setTimeout(() => socket.destroy(), LINGER)
  timer.unref()
  const end = (): void => {
    clearTimeout(timer)
    request.off("data", onData)
  }
  request.on("data", onData).on("error", ignore).once("end", end).once("close", end).resume()
}

/** How much of a body that is of no use is taken in, and for how long in milliseconds. */
const LINGER_BYTES = 2 ** 20
const LINGER = 2_000
