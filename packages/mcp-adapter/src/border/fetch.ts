import type { OptionRule } from "@x/tool-schemas/json"
import { checkOptions } from "../adapter-error.js"
import type { McpAdapter } from "../create-adapter.js"
import { createEndpoint } from "../create-endpoint.js"
import { type EndpointOptions, endpointOptionRules } from "../endpoint-options.js"
import type { RequestExtra } from "./http/exchange.js"
import { toFetchExchange } from "./http/fetch-exchange.js"
import {
  createMcpSite,
  type HttpEndpoint,
  type McpSiteOptions,
  mcpSiteRules,
  toBase,
  toLinkPath,
} from "./http/mcp-site.js"
import { createHttpSite, type HttpSite, type SiteOptions, siteRules, type Visitor } from "./http/site.js"

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
export type { EventStream } from "./http/event-stream.js"
export type { Answer, Exchange, RequestExtra, RequestHead } from "./http/exchange.js"
export type { GuardOptions } from "./http/guard.js"
export type { ListenLimits } from "./http/listen-limit.js"
export type { HttpEndpoint } from "./http/mcp-site.js"
export type { SessionLimits } from "./http/sessions.js"
export type { End, HttpSite, SiteOptions, Visitor } from "./http/site.js"

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
      // Never rejects, and may go on long after the response has begun.
      void answer(exchange)
      return response
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
