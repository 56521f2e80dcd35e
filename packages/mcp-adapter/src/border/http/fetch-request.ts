import { hasMethod, memberOf, showShort } from "@x/base"
import { AdapterError } from "../../adapter-error.js"
import { pathOf, type RequestExtra } from "./exchange.js"

/** The used parts of Hono's context. */
export interface FetchContext {
  /** Hono's request. */
  readonly req: {
    /** The request of the host. */
    readonly raw: Request
    /** Reads the body, even if it was already read through Hono. */
    text(): Promise<string>
  }
}

/** A `fetch` request as passed by a framework. */
export interface GivenRequest {
  /** The request. */
  readonly request: Request
  /** Further information from the host. */
  readonly extra: RequestExtra
  /** Returns the body (or a promise) that a parser in front has read; absent if nothing stores it. */
  readonly leftBody?: () => unknown
}

/**
 * Finds the request in the arguments of a framework's handler: Hono passes a context, others the request itself. The second
 * argument may be the host's environment, or a `next` function.
 *
 * @throws AdapterError `invalid_argument` for anything else.
 */
export function toGivenRequest(first: unknown, second: unknown): GivenRequest {
  if (isRequest(first)) return { request: first, extra: toExtra(second, second) }
  if (isContext(first)) {
    const { req } = first
    return {
      request: req.raw,
      extra: { sentTarget: pathOf(req.raw), ...toExtra(second, memberOf(first, "env")) },
      // Fails if the body was read past Hono.
      leftBody: () => req.text().catch(() => undefined),
    }
  }
  const expected = 'expected a "Request", or the context of Hono'
  const change =
    'where a handler is given a request and a response, as in Express, use createNodeHandler of "@x/mcp-adapter/http"'
  throw new AdapterError(`fetch() was given ${showShort(first)}: ${expected}; ${change}`, { code: "invalid_argument" })
}

function toExtra(extra: unknown, environment: unknown): RequestExtra {
  const given: RequestExtra = typeof extra === "object" && extra !== null ? extra : {}
  if (given.remoteAddress !== undefined) return given
  // Node's request, as set by @hono/node-server.
  const address = memberOf(memberOf(memberOf(environment, "incoming"), "socket"), "remoteAddress")
  return typeof address === "string" ? { ...given, remoteAddress: address } : given
}

function isRequest(value: unknown): value is Request {
  return typeof memberOf(value, "url") === "string" && hasMethod(memberOf(value, "headers"), "get")
}

function isContext(value: unknown): value is FetchContext {
  const req = memberOf(value, "req")
  return isRequest(memberOf(req, "raw")) && hasMethod(req, "text")
}
