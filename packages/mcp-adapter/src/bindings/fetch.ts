import { type AuthInfo, isLegacyRequest } from "@modelcontextprotocol/server"
import type { Principal } from "@x/agentic-service"
import type { McpAdapter } from "../create-adapter.js"
import { createEndpoint, type EndpointOptions } from "../create-endpoint.js"
import type { Report } from "../runtime/diagnostic.js"
import { preflight, shareWithOrigin } from "./cors.js"
import { createLegacyHttp } from "./create-legacy-http.js"
import { createModernHttp } from "./create-modern-http.js"
import { createStreams } from "./create-streams.js"
import { createGuard, type GuardOptions } from "./guard.js"
import type { RequestExtra } from "./http-exchange.js"
import { parsed, readBody } from "./read-body.js"
import { refuse } from "./refuse.js"
import type { SessionLimits } from "./sessions.js"

export type { EndpointOptions } from "../create-endpoint.js"
export type { GuardOptions } from "./guard.js"
export type { RequestExtra } from "./http-exchange.js"
export type { SessionLimits } from "./sessions.js"

/** How {@link createFetchHandler} serves. */
export interface FetchOptions extends EndpointOptions, GuardOptions, SessionLimits {
  /**
   * Says who calls, for every request anew. `undefined` is anonymous, which is everybody by default; a throw is reported and
   * answered with 500, so refuse callers before they get here.
   */
  readonly principal?: (
    request: Request,
    authInfo: AuthInfo | undefined,
  ) => Principal | undefined | Promise<Principal | undefined>
}

/** Serves MCP over Streamable HTTP, both eras at one URL, wherever there is `fetch`. */
export interface FetchHandler {
  /** Answers one request; never rejects. */
  fetch(request: Request, extra?: RequestExtra): Promise<Response>
  /** Ends all streams and sessions, and resolves once they are gone; later requests get 503. Idempotent. */
  close(): Promise<void>
}

/** Creates a handler that serves an adapter at one URL. */
export function createFetchHandler(adapter: McpAdapter, options: FetchOptions = {}): FetchHandler {
  const endpoint = createEndpoint(adapter, options)
  const refused = createGuard(options)
  const streams = createStreams(endpoint)
  const legacy = createLegacyHttp(endpoint, streams, options)
  const modern = createModernHttp(endpoint, streams)
  let open = true
  const serve = async (request: Request, extra: RequestExtra): Promise<Response> => {
    const principal = await options.principal?.(request, extra.authInfo)
    const read = extra.parsedBody === undefined ? await readBody(request) : parsed(extra.parsedBody)
    if (!read.ok) return read.response
    const half = (await isLegacyRequest(request, read.body)) ? legacy : modern
    if (!open) return refuse(503, -32000, "Service Unavailable: the server is closing")
    return half.serve({ request, body: read.body, principal, extra })
  }
  return {
    async fetch(request, extra = {}) {
      const refusal = refused(request)
      if (refusal !== undefined) return refusal
      if (request.method === "OPTIONS") return shareWithOrigin(request, preflight(request))
      const response = await serve(request, extra).catch((cause: unknown) => fail(endpoint.report, cause))
      return shareWithOrigin(request, response)
    },
    async close() {
      open = false
      await Promise.all([legacy.close(), modern.close()])
      await streams.idle()
    },
  }
}

function fail(report: Report, cause: unknown): Response {
  report({ code: "handler_failed", message: "a request was not served: see the cause", cause })
  return refuse(500, -32603, "Internal server error")
}
