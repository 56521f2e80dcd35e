import { isLegacyRequest } from "@modelcontextprotocol/server"
import type { McpAdapter } from "../create-adapter.js"
import { createEndpoint } from "../create-endpoint.js"
import type { Endpoint } from "../endpoint.js"
import type { EndpointOptions } from "../endpoint-options.js"
import type { Path } from "../names/path.js"
import { createLegacyHttp, createStatelessHttp } from "./http/create-legacy-http.js"
import { createModernHttp } from "./http/create-modern-http.js"
import { isEventStream, type Streams } from "./http/create-streams.js"
import { createGate, createGateParts, type Gate, type GateOptions, type Visitor } from "./http/gate.js"
import { createHttpDrain } from "./http/http-drain.js"
import {
  type HttpExchange,
  type HttpHalf,
  nothingThere,
  type RequestExtra,
  refuse,
  toBase,
  toLinkPath,
} from "./http/http-exchange.js"
import { createListenLimit, type ListenLimits } from "./http/limits.js"
import type { SessionLimits } from "./http/sessions.js"
import { listenedUris } from "./server/listened-uris.js"
import { DRAIN } from "./server/work.js"

export type { EndpointOptions } from "../endpoint-options.js"
export type { Authenticate } from "./http/auth.js"
export { apiKeys, type BearerOptions, bearer, type FindKey } from "./http/auth.js"
export type { AdmitOptions, Gate, GateOptions, GuardOptions, Visitor } from "./http/gate.js"
export type { RequestExtra } from "./http/http-exchange.js"
export type { ListenLimits, RequestRate } from "./http/limits.js"
export type { BodyLimits, ReadBody } from "./http/read-body.js"
export type { SessionLimits } from "./http/sessions.js"

/** How {@link createFetchHandler} serves. */
export interface FetchOptions extends EndpointOptions, GateOptions, SessionLimits, ListenLimits {
  /**
   * How clients of the revisions up to 2025-11-25 are served; the newer ones need none of it. Default `sessions`: notices
   * reach them over a stream, and state is kept for each. `stateless`: each request is answered alone, with one JSON
   * body; nothing arrives unasked, and any number of processes can share the load. It is lenient with bare `curl`.
   * `reject`: they are told which revisions are spoken.
   */
  readonly legacy?: "sessions" | "stateless" | "reject"
  /**
   * The path clients reach it by, where `links` are `endpoints`: they are below it. A router that strips the prefix it is
   * mounted at is fine. Otherwise any path is served. Default `/mcp`.
   */
  readonly path?: string
  /** How long calls may still run when the server is closed, in milliseconds; then they are aborted. Default 5,000. */
  readonly drain?: number
}

/** Serves MCP over Streamable HTTP, both eras at each URL, wherever there is `fetch`. */
export interface FetchHandler {
  /** Answers one request; never rejects. */
  fetch(request: Request, extra?: RequestExtra): Promise<Response>
  /**
   * Answers new requests with 503, lets calls finish for as long as `drain` says, then ends all streams and sessions, and
   * resolves once they are gone. Meanwhile what belongs to a call comes through: its cancellation, a person's answer.
   * Idempotent.
   */
  close(): Promise<void>
}

/** Creates a handler that serves an adapter at one URL. */
export function createFetchHandler(adapter: McpAdapter, options: FetchOptions = {}): FetchHandler {
  const base = toBase(options.path ?? "/mcp")
  const endpoint = createEndpoint(adapter, options, base)
  const parts = createGateParts(endpoint.host)
  const { streams, tell } = parts
  const modern = createModernHttp(endpoint, streams)
  const legacy = createLegacyHalf(endpoint, { streams, options }) ?? modern
  const pathOf = (request: Request): Path | undefined =>
    options.links === "endpoints" ? toLinkPath(new URL(request.url).pathname, base) : []
  const gate = createGate(endpoint.host, options, parts)
  const drain = createHttpDrain(endpoint.host, options.drain ?? DRAIN)
  const listens = createListenLimit(options, tell)
  const pass = (half: HttpHalf, exchange: HttpExchange, client: string): Response | Promise<Response> => {
    if (!drain.admits(exchange)) return refuse(503, -32000, "Service Unavailable: the server is closing")
    const ended = listenedUris(exchange.body) === undefined ? drain.begin(exchange) : listens.take(client)
    if (typeof ended !== "function") return ended
    const answer = complete(half.serve({ ...exchange, ended }), ended)
    return answer.then((response) => {
      if (response.ok) drain.accepted(exchange)
      return response
    })
  }
  const serve = async ({ request, extra, principal, client, readBody }: Visitor): Promise<Response> => {
    const path = pathOf(request)
    if (path === undefined || !(await endpoint.reaches(path, principal))) return nothingThere()
    const read = await readBody()
    if (!read.ok) return read.response
    const half = (await isLegacyRequest(request, read.body)) ? legacy : modern
    return pass(half, { request, body: read.body, path, principal, extra }, client)
  }
  return {
    fetch: (request, extra = {}) => gate.answer(request, extra, serve),
    close: () =>
      drain.close(async () => {
        await Promise.all([legacy, modern].map((half) => half.close()))
        await streams.idle()
      }),
  }
}

/**
 * The same gate for an HTTP endpoint of your own beside MCP's: a view of the adapter's call path in another protocol. It
 * counts requests for itself.
 */
export function createHttpGate(adapter: McpAdapter, options: GateOptions = {}): Gate {
  const host = { ledger: adapter.ledger, report: adapter.core.host.report, clock: adapter.core.host.clock }
  return createGate(host, options, createGateParts(host))
}

/** Runs `ended` once an answer is there, unless it is a stream, which runs it at its end. */
async function complete(answer: Promise<Response>, ended: () => void): Promise<Response> {
  try {
    const response = await answer
    if (!isEventStream(response)) ended()
    return response
  } catch (error) {
    ended()
    throw error
  }
}

/** `undefined` where there is none: the modern half refuses what is not its own. */
function createLegacyHalf(
  endpoint: Endpoint,
  { streams, options }: { readonly streams: Streams; readonly options: FetchOptions },
): HttpHalf | undefined {
  const { legacy = "sessions" } = options
  if (legacy === "reject") return undefined
  return legacy === "stateless" ? createStatelessHttp(endpoint) : createLegacyHttp(endpoint, streams, options)
}
