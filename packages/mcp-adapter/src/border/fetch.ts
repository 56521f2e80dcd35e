import type { OptionRule } from "@x/base"
import { checkOptions } from "../adapter-error.js"
import type { McpAdapter } from "../create-adapter.js"
import { createEndpoint } from "../create-endpoint.js"
import { type EndpointOptions, endpointOptionRules } from "../endpoint-options.js"
import { holdProcess } from "../runtime/host.js"
import type { RequestExtra } from "./http/exchange.js"
import { toFetchExchange } from "./http/fetch-exchange.js"
import { type FetchContext, toGivenRequest } from "./http/fetch-request.js"
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
export type { Beats, EventStream } from "./http/event-stream.js"
export type { Answer, BodyEnd, Exchange, RequestExtra, RequestHead } from "./http/exchange.js"
export type { FetchContext } from "./http/fetch-request.js"
export type { GuardOptions } from "./http/guard.js"
export type { ListenLimits } from "./http/listen-limit.js"
export type { HttpEndpoint } from "./http/mcp-site.js"
export type { SessionLimits } from "./http/sessions.js"
export type { End, HttpSite, SiteOptions, Visitor } from "./http/site.js"
export type { Encoded } from "./server/encoded.js"

/** Options of {@link createFetchHandler}. */
export interface FetchOptions extends EndpointOptions, McpSiteOptions {
  /**
   * The endpoint's public path, needed if `links` is `endpoints`: linked services are below it. A router may strip the prefix
   * it is mounted at. Other values of `links` serve every path. Default `/mcp`.
   */
  readonly path?: string
}

/** The validation rules of {@link FetchOptions}. */
export const fetchRules: Record<keyof FetchOptions, OptionRule> = {
  ...endpointOptionRules,
  ...mcpSiteRules,
  path: "text",
}

/** Serves HTTP on any host with `fetch`. */
export interface FetchHandler {
  /**
   * Answers one request: a `Request`, or what Hono gives its handlers. Never rejects.
   *
   * @param extra - Further information from the host. Other values that a framework may pass are ignored.
   * @throws AdapterError `invalid_argument` if the argument contains no `Request`.
   */
  fetch(request: Request | FetchContext, extra?: RequestExtra | ((...next: never) => unknown)): Promise<Response>
  /**
   * Shuts down: answers new requests with 503, lets running calls finish for `drainMs`, then tells them to stop and answers
   * them, ends all streams and sessions, and resolves once they are gone. Messages that belong to a running call still get
   * through, such as its cancellation or a person's answer. Idempotent.
   */
  close(): Promise<void>
}

/**
 * Creates a handler that serves MCP over Streamable HTTP, both eras at each URL, on any host with `fetch`.
 *
 * @throws AdapterError `invalid_option` for an unknown or invalid option.
 * @example
 * ```ts
 * import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
 * import { action, createAgenticService } from "@x/agentic-service"
 * import { createMcpAdapter } from "@x/mcp-adapter"
 * import { createFetchHandler } from "@x/mcp-adapter/fetch"
 *
 * const greet = action({ description: "Greets", execute: () => ({ text: "hello" }) })
 * const adapter = createMcpAdapter(createAgenticService({ name: "door", actions: { greet } }))
 * const handler = createFetchHandler(adapter) // for Deno, Bun or a worker: export default { fetch: handler.fetch }
 * const fetch = (url: string | URL, init?: RequestInit) => handler.fetch(new Request(url, init))
 * const client = new Client({ name: "example", version: "1" })
 * await client.connect(new StreamableHTTPClientTransport(new URL("http://localhost/mcp"), { fetch }))
 * console.log((await client.callTool({ name: "greet" })).content) // [ { type: 'text', text: '{"text":"hello"}' } ]
 * await client.close()
 * await handler.close()
 * adapter.close()
 * ```
 */
export function createFetchHandler(adapter: McpAdapter, options: FetchOptions = {}): FetchHandler {
  return toFetchHandler(createHttpEndpoint(adapter, options))
}

/**
 * Converts an endpoint to a handler that takes a `Request` and returns a `Response`.
 *
 * @example
 * ```ts
 * import { createAgenticService } from "@x/agentic-service"
 * import { createMcpAdapter } from "@x/mcp-adapter"
 * import { createHttpEndpoint, toFetchHandler } from "@x/mcp-adapter/fetch"
 *
 * const adapter = createMcpAdapter(createAgenticService({ name: "door" }))
 * const endpoint = createHttpEndpoint(adapter)
 * const handler = toFetchHandler(endpoint)
 * const response = await handler.fetch(new Request("http://attacker.example/mcp", { method: "POST" }))
 * console.log(response.status, endpoint.held()) // 403 0
 * await handler.close()
 * adapter.close()
 * ```
 */
export function toFetchHandler({ answer, close }: HttpEndpoint): FetchHandler {
  return {
    fetch(request, extra) {
      const { exchange, response } = toFetchExchange(toGivenRequest(request, extra))
      const letGo = holdProcess()
      // Never rejects, and may continue long after the response has begun.
      void answer(exchange)
      return response.finally(letGo)
    },
    close,
  }
}

/**
 * Creates an adapter's MCP endpoint for any host. {@link toFetchHandler} and, on Node, `toNodeHandler` convert it.
 *
 * @example
 * ```ts
 * import { createAgenticService } from "@x/agentic-service"
 * import { createMcpAdapter } from "@x/mcp-adapter"
 * import { createHttpEndpoint, toNodeHandler } from "@x/mcp-adapter/http"
 *
 * const adapter = createMcpAdapter(createAgenticService({ name: "door" }))
 * const endpoint = createHttpEndpoint(adapter, { maxHeldBytes: 16 * 2 ** 20 })
 * export const { handle } = toNodeHandler(endpoint) // mount it; the endpoint tells how full it is
 * console.log(endpoint.held()) // 0
 * await endpoint.close()
 * adapter.close()
 * ```
 */
export function createHttpEndpoint(adapter: McpAdapter, options: FetchOptions = {}): HttpEndpoint {
  checkOptions(options, fetchRules)
  const base = toBase(options.path ?? "/mcp")
  const endpoint = createEndpoint(adapter, options, base)
  return createMcpSite(endpoint, options, (path) => (options.links === "endpoints" ? toLinkPath(path, base) : []))
}

/**
 * Creates the gate of the MCP endpoint for an HTTP endpoint of your own, such as another protocol for the adapter's calls. It
 * counts requests separately from MCP.
 *
 * @param serve - Answers an admitted request. Errors are reported and answered with 500.
 * @throws AdapterError `invalid_option` for an unknown or invalid option.
 * @example
 * ```ts
 * import { createAgenticService } from "@x/agentic-service"
 * import { createMcpAdapter } from "@x/mcp-adapter"
 * import { bearerToken, createHttpGate, toFetchHandler } from "@x/mcp-adapter/fetch"
 *
 * const adapter = createMcpAdapter(createAgenticService({ name: "door" }))
 * const gate = createHttpGate(adapter, { authenticate: bearerToken("a-long-random-secret") }, async (visitor) => {
 *   visitor.send({ status: 200, body: `hello, ${visitor.client}` })
 * })
 * const { fetch } = toFetchHandler({ ...gate, close: gate.idle })
 * const headers = { authorization: "Bearer a-long-random-secret" }
 * console.log(await (await fetch(new Request("http://localhost/hello", { headers }))).text()) // hello, owner
 * console.log((await fetch(new Request("http://localhost/hello"))).status) // 401
 * adapter.close()
 * ```
 */
export function createHttpGate(
  adapter: McpAdapter,
  options: SiteOptions,
  serve: (visitor: Visitor) => Promise<void>,
): HttpSite {
  checkOptions(options, siteRules)
  return createHttpSite(adapter.core.host, options, serve)
}
