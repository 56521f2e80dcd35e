import type { OptionRule } from "@x/tool-schemas/json"
import { checkOptions } from "../adapter-error.js"
import type { McpAdapter } from "../create-adapter.js"
import { createEndpoint } from "../create-endpoint.js"
import { type EndpointOptions, endpointOptionRules } from "../endpoint-options.js"
import { createDeferred, holdProcess, once } from "../runtime/host.js"
import type { Answer, BodyEnd, Exchange, RequestExtra } from "./http/exchange.js"
import {
  createMcpSite,
  type HttpEndpoint,
  type McpSiteOptions,
  mcpSiteRules,
  toBase,
  toLinkPath,
} from "./http/mcp-site.js"
import { createHttpSite, type HttpSite, type SiteOptions, siteRules, type Visitor } from "./http/site.js"
import { piecesOf } from "./server/encoded.js"

export type { EndpointOptions } from "../endpoint-options.js"
export type { AdmitOptions, RequestRate } from "./http/admit.js"
export {
  type Admission,
  type AuthAnswer,
  type Authenticate,
  apiKeys,
  bearerToken,
  type FindKey,
} from "./http/auth.js"
export { type BearerOptions, bearer, type TokenVerifier, type VerifiedToken } from "./http/bearer.js"
export type { BodyLimits, ReadBody } from "./http/body.js"
export type { Beats, EventStream } from "./http/event-stream.js"
export type { Answer, BodyEnd, Exchange, RequestExtra, RequestHead } from "./http/exchange.js"
export type { GuardOptions } from "./http/guard.js"
export type { ListenLimits } from "./http/listen-limit.js"
export type { HttpEndpoint } from "./http/mcp-site.js"
export type { SessionLimits } from "./http/sessions.js"
export type { End, HttpSite, SiteOptions, Visitor } from "./http/site.js"
export type { Encoded } from "./server/encoded.js"

/** How {@link createFetchHandler} serves. */
export interface FetchOptions extends EndpointOptions, McpSiteOptions {
  /**
   * The path clients reach it by, where `links` are `endpoints`: they are below it. A router that strips the prefix it is
   * mounted at is fine. Otherwise any path is served. Default `/mcp`.
   */
  readonly path?: string
}

/** What each of {@link FetchOptions} may be. */
export const fetchRules: Record<keyof FetchOptions, OptionRule> = {
  ...endpointOptionRules,
  ...mcpSiteRules,
  path: "text",
}

/** Serves HTTP wherever there is `fetch`. */
export interface FetchHandler {
  /** Answers one request; never rejects. */
  fetch(request: Request, extra?: RequestExtra): Promise<Response>
  /**
   * Answers new requests with 503, lets calls finish for as long as `drainMs` says, tells the rest to stop, which are then
   * answered, ends all streams and sessions, and resolves once they are gone. Meanwhile what belongs to a call comes
   * through: its cancellation, a person's answer. Idempotent.
   */
  close(): Promise<void>
}

/**
 * Creates a handler that serves MCP over Streamable HTTP, both eras at each URL, wherever there is `fetch`.
 *
 * @throws AdapterError `invalid_option` for an option that there is not, or that cannot be.
 */
export function createFetchHandler(adapter: McpAdapter, options: FetchOptions = {}): FetchHandler {
  return toFetchHandler(createHttpEndpoint(adapter, options))
}

/** Serves a site wherever there is `fetch`: takes a `Request`, and gives a `Response`. */
export function toFetchHandler({ answer, close }: HttpEndpoint): FetchHandler {
  return {
    fetch(request, extra = {}) {
      const { exchange, response } = toFetchExchange(request, extra)
      const letGo = holdProcess()
      // Never rejects, and may go on long after the response has begun.
      void answer(exchange)
      return response.finally(letGo)
    },
    close,
  }
}

/** The MCP endpoint of an adapter, for any host: {@link toFetchHandler} and Node's `toNodeHandler` are its two faces. */
export function createHttpEndpoint(adapter: McpAdapter, options: FetchOptions = {}): HttpEndpoint {
  checkOptions(options, fetchRules)
  const base = toBase(options.path ?? "/mcp")
  const endpoint = createEndpoint(adapter, options, base)
  return createMcpSite(endpoint, options, (path) => (options.links === "endpoints" ? toLinkPath(path, base) : []))
}

/**
 * The same gate for an HTTP endpoint of your own beside MCP's: a view of the adapter's call path in another protocol. It
 * counts requests for itself.
 *
 * @param serve - Answers a request that was let in. What it throws is reported, and answered with 500.
 * @throws AdapterError `invalid_option` for an option that there is not, or that cannot be.
 */
export function createHttpGate(
  adapter: McpAdapter,
  options: SiteOptions,
  serve: (visitor: Visitor) => Promise<void>,
): HttpSite {
  checkOptions(options, siteRules)
  return createHttpSite(adapter.core.host, options, serve)
}

/**
 * One request as hosts with `fetch` have it, and the response to give them, which is there as soon as the answer is sent or
 * begun. Large answers go out as they are taken, so that who does not read them is seen.
 */
function toFetchExchange(
  request: Request,
  extra: RequestExtra,
): { readonly exchange: Exchange; readonly response: Promise<Response> } {
  const response = createDeferred<Response>()
  const ending = followEnd(request)
  let answered = false
  let out: BodyOut | undefined
  let room = (): void => {}
  const answer = (make: () => Response): void => {
    if (answered || ending.isOver()) return
    answered = true
    response.resolve(make())
  }
  const exchange: Exchange = {
    head: request,
    extra,
    read: (take) => readBytes(request, take),
    send: ({ status, headers = {}, body }) =>
      answer(() => {
        if (typeof body !== "object" && (body ?? "").length < LARGE) {
          ending.over(false)
          return new Response(body ?? null, { status, headers: { ...headers } })
        }
        out = createBodyOut(ending.over)
        for (const piece of piecesOf(body)) out.write(piece)
        out.end()
        return new Response(out.body, { status, headers: { ...headers } })
      }),
    begin: ({ status, headers = {} }: Answer) =>
      answer(() => {
        out = createBodyOut(ending.over, () => room())
        return new Response(out.body, { status, headers: { ...headers } })
      }),
    write(text) {
      for (const piece of piecesOf(text)) out?.write(piece)
    },
    end: () => out?.end(),
    unread: () => out?.unread() ?? 0,
    onRoom(callback) {
      room = callback
    },
    drop() {
      out?.fail(new Error("the peer was dropped: it left too much unread"))
      extra.disconnect?.()
      ending.over(true)
    },
    onOver: ending.onOver,
  }
  // Whoever is gone gets no answer, but the host may still wait for one.
  ending.onOver((gone) => {
    if (gone && !answered) response.resolve(new Response(null, { status: 499 }))
  })
  return { exchange, response: response.promise }
}

/** A larger body is handed over bit by bit, in bytes. */
const LARGE = 65_536

/** Whether an answer is over, for whom that matters, and how it gets to be. */
interface Ending extends Pick<Exchange, "onOver"> {
  isOver(): boolean
  over(gone: boolean): void
}

function followEnd({ signal }: Request): Ending {
  let ended: boolean | undefined
  const waiting: ((gone: boolean) => void)[] = []
  const leave = (): void => over(true)
  const over = (gone: boolean): void => {
    if (ended !== undefined) return
    ended = gone
    signal.removeEventListener("abort", leave)
    for (const callback of waiting) callback(gone)
  }
  if (signal.aborted) ended = true
  else signal.addEventListener("abort", leave)
  return {
    over,
    isOver: () => ended !== undefined,
    onOver(callback) {
      if (ended === undefined) waiting.push(callback)
      else callback(ended)
    },
  }
}

async function readBytes(request: Request, take: (bytes: Uint8Array) => boolean): Promise<BodyEnd> {
  if (request.bodyUsed) return "taken"
  if (request.body === null) return "whole"
  try {
    const reader = request.body.getReader()
    for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
      if (take(chunk.value)) continue
      reader.cancel().catch(() => {})
      return "stopped"
    }
    return "whole"
  } catch {
    return "broken"
  }
}

/** A response's body while it is written. */
interface BodyOut {
  readonly body: ReadableStream<Uint8Array>
  write(bytes: Uint8Array): void
  end(): void
  /** Ends it with an error. */
  fail(error: Error): void
  unread(): number
}

/** What waits for the host to take it is kept here and not in the stream, so that it can be counted. */
function createBodyOut(over: (gone: boolean) => void, taken = (): void => {}): BodyOut {
  const waiting: Uint8Array[] = []
  let unread = 0
  let ending = false
  let wanted: (() => void) | undefined
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined
  const pass = (): void => {
    const bytes = waiting.shift()
    if (bytes === undefined && !ending) return
    wanted?.()
    wanted = undefined
    if (bytes !== undefined) {
      unread -= bytes.length
      controller?.enqueue(bytes)
      taken()
    }
    if (waiting.length > 0 || !ending) return
    controller?.close()
    controller = undefined
    over(false)
  }
  const close = once(() => {
    waiting.length = 0
    unread = 0
    controller = undefined
    wanted?.()
    over(true)
  })
  const body = toUnbuffered({
    start(out) {
      controller = out
    },
    pull() {
      const { promise, resolve } = createDeferred()
      wanted = resolve
      pass()
      return promise
    },
    cancel: close,
  })
  return {
    body,
    write(bytes) {
      if (controller === undefined || ending) return
      for (let start = 0; start < bytes.length; start += LARGE) waiting.push(bytes.subarray(start, start + LARGE))
      unread += bytes.length
      if (wanted !== undefined) pass()
    },
    end() {
      ending = true
      // With nothing left to take, nobody has to ask for the end.
      if (controller !== undefined && (wanted !== undefined || waiting.length === 0)) pass()
    },
    fail(error) {
      controller?.error(error)
      close()
    },
    unread: () => unread,
  }
}

function toUnbuffered(source: Source): ReadableStream<Uint8Array> {
  return new ReadableStream(source, { highWaterMark: 0 })
}

interface Source {
  start(out: ReadableStreamDefaultController<Uint8Array>): void
  pull(): Promise<void>
  cancel(): void
}
