import type { AuthInfo } from "@modelcontextprotocol/server"
import type { Principal } from "@x/agentic-service"
import type { Leg } from "../../calls/call-context.js"
import type { Caller } from "../../endpoint.js"
import { type Path, parsePath } from "../../names/path.js"

/** What is known about a request besides the request. */
export interface RequestExtra {
  /** What the host's own authentication found out; handed to the `principal` option unchanged. */
  readonly authInfo?: AuthInfo | undefined
  /** Where the request comes from; anonymous callers are told apart by it where limits count. */
  readonly remoteAddress?: string | undefined
  /** The body, where the host has parsed it already; then no limit is applied to it here. */
  readonly parsedBody?: unknown
  /** Ends the connection at once. Needed where an errored stream alone does not: Node would wait for the peer to read. */
  readonly disconnect?: (() => void) | undefined
}

/** A request that has passed the checks. */
export interface HttpExchange {
  /** The request; its body has been read. */
  readonly request: Request
  /** The parsed body; `undefined` where the method has none. */
  readonly body: unknown
  /** The service that is called, as link keys from the root; empty where links are no endpoints. */
  readonly path: Path
  /** Who calls; `undefined` is anonymous. */
  readonly principal: Principal | undefined
  /** The rest of what is known. */
  readonly extra: RequestExtra
  /** Runs when the stream of the answer has ended, where it is one. */
  readonly ended?: () => void
}

/** One era's half of the HTTP endpoint. */
export interface HttpHalf {
  /** Answers one request of this era. */
  serve(exchange: HttpExchange): Promise<Response>
  /** Ends what is open: streams end, listen streams with their final answer, calls are aborted. */
  close(): Promise<void>
}

/** Who sent a request that belongs to no session. */
export function toCaller({ principal, extra }: HttpExchange, leg: Leg): Caller {
  return { ...(principal && { principal }), client: toClient(principal, extra), leg }
}

/** What a client is known by where limits count. */
export function toClient(principal: Principal | undefined, { remoteAddress }: RequestExtra): string {
  return principal?.id ?? remoteAddress ?? "anonymous"
}

/**
 * Which service a URL path asks for, where each has an endpoint of its own; `undefined` where none is. `base` is the path of
 * the root's endpoint; routers that strip the prefix a handler is mounted at leave only what follows it.
 */
export function toLinkPath(pathname: string, base: string): Path | undefined {
  const below = pathname === base || pathname.startsWith(`${base}/`) ? pathname.slice(base.length) : pathname
  return parseBelow(below) ?? parseBelow(pathname)
}

/** A path without the slashes at its end. */
export function toBase(path: string): string {
  return path.replace(/\/+$/, "")
}

function parseBelow(below: string): Path | undefined {
  if (below === "" || below === "/") return []
  const path = below.startsWith(LINKS) ? parsePath(below.slice(LINKS.length)) : undefined
  return path?.length === 0 ? undefined : path
}

const LINKS = "/links/"

/** An HTTP answer that carries a JSON-RPC error about no particular request. */
export function refuse(status: number, code: number, message: string): Response {
  return Response.json({ jsonrpc: "2.0", error: { code, message }, id: null }, { status })
}

/** Refuses an HTTP method, and names those that are allowed. */
export function methodNotAllowed(allow: string): Response {
  const response = refuse(405, -32000, "Method not allowed.")
  response.headers.set("allow", allow)
  return response
}

/** Answers a request to a path of links that leads nowhere, or to where nothing is served. */
export function nothingThere(): Response {
  return refuse(404, -32000, "Not Found: there is no MCP endpoint at this path now")
}
