import type { JSONRPCMessage, JSONRPCRequest } from "@modelcontextprotocol/server"
import type { Leg } from "../../calls/call-context.js"
import type { Connection, Endpoint } from "../../endpoint.js"
import { INVALID_PARAMS, METHOD_NOT_FOUND, MISSING_CAPABILITY } from "../../handlers/handler.js"
import { once } from "../../runtime/once.js"
import { createClientReport } from "../server/client-report.js"
import { createServer, findFault } from "../server/create-server.js"
import { encodeMessage } from "../server/encode-message.js"
import { type Claim, findVersionFault, isModern } from "../server/era.js"
import { createListens, type ListenFilter, type Listens, readFilter } from "../server/listens.js"
import { CLASSIFIED, connectModern } from "../server/modern-transport.js"
import { HEADER_MISMATCH, type RpcError } from "../server/rpc-error.js"
import type { Stops } from "../server/stops.js"
import { toEvent } from "./event-stream.js"
import { type RequestHead, refuse } from "./exchange.js"
import { createLazyAnswer, readAccepts } from "./lazy-answer.js"
import { createListenLimit, type ListenLimit, type ListenLimits } from "./listen-limit.js"
import type { McpVisitor } from "./mcp-visitor.js"
import { whileAdmitted } from "./while-admitted.js"

const LEG: Leg = { transport: "http", era: "modern", notices: true }

/** The modern era over HTTP (2026-07-28). */
export interface ModernHttp {
  /** Answers a request whose claim and headers are in order; resolves when it is answered. */
  serve(visitor: McpVisitor, request: JSONRPCRequest): Promise<void>
  /** Ends what listens, with its last message. */
  close(): void
}

/** A server for each request, and a lease for as long as its answer takes. */
export function createModernHttp(endpoint: Endpoint, stops: Stops, limits: ListenLimits): ModernHttp {
  const listens = createListens(endpoint)
  const limit = createListenLimit(limits, createClientReport(endpoint.host))
  return {
    async serve(visitor, request) {
      const connection = visitor.open()
      if (connection === undefined) return
      if (request.method === "subscriptions/listen") {
        const taken = readListen(visitor, request)
        if (taken !== undefined) await listen(endpoint, { listens, limit, connection, ...taken }, visitor)
        else connection.release()
      } else await answer(endpoint, { connection, request, stops }, visitor)
    },
    close: () => listens.close(),
  }
}

/** What answering one request takes. */
interface Asked {
  readonly connection: Connection
  readonly request: JSONRPCRequest
  readonly stops: Stops
}

async function answer(endpoint: Endpoint, { connection, request, stops }: Asked, visitor: McpVisitor): Promise<void> {
  const lazy = createLazyAnswer(visitor, { accepts: readAccepts(visitor.head) })
  const release = once(() => connection.release())
  // What the engine answers at once, it answers without a handler: there is none, or the request is not one for it.
  let dispatching = false
  const send = (message: JSONRPCMessage, related: string | number | undefined): void => {
    if ("method" in message) {
      // What belongs to no request has no way to go.
      if (related === request.id) lazy.send(JSON.stringify(message))
      return
    }
    release()
    const code = "error" in message ? message.error.code : undefined
    lazy.finish(encodeMessage(endpoint.host, message), code === undefined ? 200 : statusOf(code, dispatching))
  }
  const server = createServer(endpoint, connection, {
    caller: visitor.callerOn(LEG),
    stops,
    failed: visitor.failed,
    only: request.method,
  })
  try {
    const transport = await connectModern(server, {
      send: async (message, options) => send(message, options?.relatedRequestId),
      close: release,
    })
    // A client that leaves gives its request up (2026-07-28, basic/transports/streamable-http, cancellation).
    visitor.onEnd((end) => {
      if (end !== "taken") void transport.close()
    })
    if (visitor.ended()) return
    const fault = findFault(endpoint, { connection, leg: LEG }, request)
    dispatching = fault === undefined
    if (fault !== undefined) send({ jsonrpc: "2.0", id: request.id, error: fault }, undefined)
    else transport.onmessage?.(request, CLASSIFIED)
    dispatching = false
    await new Promise<void>((resolve) => visitor.onAnswered(resolve))
  } catch (cause) {
    release()
    throw cause
  }
}

/**
 * The HTTP status of an error: for what no handler has answered, its own; for what a handler has, 200, but for a capability
 * that is missing (2026-07-28, basic/transports/streamable-http and basic/index).
 */
function statusOf(code: number, dispatching: boolean): number {
  if (code === MISSING_CAPABILITY) return 400
  return dispatching && code === METHOD_NOT_FOUND ? 404 : 200
}

/** What a listen wants; or says what is wrong with it, and gives nothing. */
function readListen(visitor: McpVisitor, { id, params }: JSONRPCRequest): Pick<Asking, "id" | "filter"> | undefined {
  const filter = readFilter(params)
  if (!("code" in filter)) return { id, filter }
  visitor.send(refuse(200, filter, id))
  return undefined
}

/** What opening a listen stream takes. */
interface Asking {
  readonly listens: Listens
  readonly limit: ListenLimit
  readonly connection: Connection
  readonly id: string | number
  readonly filter: ListenFilter
}

async function listen(endpoint: Endpoint, asking: Asking, visitor: McpVisitor): Promise<void> {
  const { listens, limit, connection, id, filter } = asking
  let end = (): void => {}
  const taken = limit.take(visitor.client, filter, () => end())
  if (typeof taken !== "function") {
    connection.release()
    return visitor.send(taken)
  }
  visitor.onEnd(() => {
    taken()
    connection.release()
  })
  const stream = visitor.stream()
  const send = (json: string): void => stream.write(toEvent(json))
  const last = (json: string): void => {
    send(json)
    stream.end()
  }
  const { client, principal } = visitor
  const caller = { client, ...(principal && { principal }) }
  const listening = await listens.open(connection, LEG, { id, filter, caller, send, end: last })
  visitor.forgetBody()
  end = listening.end
  const release = whileAdmitted(visitor, endpoint.host, end)
  visitor.onEnd(() => {
    release()
    listening.leave()
  })
}

/** A request or notification, as far as headers repeat it. */
interface Repeated {
  /** The method. */
  readonly method: string
  /** Its parameters. */
  readonly params?: unknown
  /** Which request it is; absent for a notification. */
  readonly id?: unknown
}

/** Which era a POST is of, or why it is of none. */
export type HttpEra = { readonly era: "legacy" | "modern" } | { readonly era: "refused"; readonly error: RpcError }

const LEGACY: HttpEra = { era: "legacy" }

/**
 * Tells the era of a message by what it claims, and refuses a modern one whose headers do not repeat it (2026-07-28,
 * basic/transports/streamable-http, server validation). A header alone makes no request modern: a request that lacks the
 * claim it needs is refused. Notifications carry no claim, so for them the header decides.
 */
export function tellEra(head: RequestHead, message: Repeated, claim: Claim): HttpEra {
  const header = headerOf(head, "mcp-protocol-version")
  if (claim.kind === "fault") return refused(claim.error)
  if (claim.kind === "none") return tellClaimless(header, message, head)
  if (header !== undefined && header !== claim.version) {
    return mismatch(`the header "MCP-Protocol-Version" is "${header}" and the body says "${claim.version}"`)
  }
  return findMethodFault(head, message) ?? checkVersion(claim.version) ?? checkRequired(head, message, header)
}

function tellClaimless(header: string | undefined, message: Repeated, head: RequestHead): HttpEra {
  if (header === undefined || !isModern(header)) return LEGACY
  if (message.method === "initialize" && message.id !== undefined) {
    return mismatch(`the header "MCP-Protocol-Version" is "${header}": expected no "initialize" with it`)
  }
  if (message.id === undefined) return findMethodFault(head, message) ?? checkVersion(header) ?? { era: "modern" }
  const found = `"params._meta" does not say what the header "MCP-Protocol-Version" says, which is "${header}"`
  return refused({
    code: INVALID_PARAMS,
    message: `${found}: expected "io.modelcontextprotocol/protocolVersion" and "…/clientCapabilities" in it`,
    data: { at: "/params/_meta" },
  })
}

function checkVersion(version: string): HttpEra | undefined {
  const fault = findVersionFault(version)
  return fault && refused(fault)
}

function findMethodFault(head: RequestHead, { method }: Repeated): HttpEra | undefined {
  const header = headerOf(head, "mcp-method")
  if (header === undefined || header === method) return undefined
  return mismatch(`the header "Mcp-Method" is "${shorten(header)}" and the body says "${shorten(method)}"`)
}

/** Every request has the first two; some the third. Of notifications nothing is said. */
function checkRequired(head: RequestHead, message: Repeated, version: string | undefined): HttpEra {
  if (message.id === undefined) return { era: "modern" }
  if (version === undefined) return missing("MCP-Protocol-Version")
  if (headerOf(head, "mcp-method") === undefined) return missing("Mcp-Method")
  return checkName(head, message) ?? { era: "modern" }
}

/** Where the methods whose requests have a header with a name have that name; tasks as in their extension. */
const NAMED: ReadonlyMap<string, string> = new Map([
  ["tools/call", "name"],
  ["prompts/get", "name"],
  ["resources/read", "uri"],
  ["tasks/get", "taskId"],
  ["tasks/update", "taskId"],
  ["tasks/cancel", "taskId"],
])

function checkName(head: RequestHead, { method, params }: Repeated): HttpEra | undefined {
  const field = NAMED.get(method)
  if (field === undefined) return undefined
  const named: unknown = Reflect.get(Object(params), field)
  const header = headerOf(head, "mcp-name")
  if (header === undefined) return typeof named === "string" ? missing("Mcp-Name") : undefined
  const decoded = decode(header)
  if (decoded === undefined) return mismatch(`the header "Mcp-Name" is no Base64 of UTF-8 between "=?base64?" and "?="`)
  if (typeof named !== "string" || decoded === named) return undefined
  return mismatch(`the header "Mcp-Name" is "${shorten(decoded)}" and "params.${field}" is "${shorten(named)}"`)
}

/** What is no plain ASCII comes in Base64 (2026-07-28, basic/transports/streamable-http, value encoding). */
function decode(value: string): string | undefined {
  if (!value.startsWith("=?base64?") || !value.endsWith("?=")) return value
  const base64 = value.slice("=?base64?".length, -"?=".length)
  if (base64.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(base64)) return undefined
  try {
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/** The value of a header without the blanks around it (RFC 9110, 5.5). */
function headerOf({ headers }: RequestHead, name: string): string | undefined {
  return headers.get(name)?.trim()
}

function missing(name: string): HttpEra {
  return mismatch(`the header "${name}" is missing: expected it to repeat the body`)
}

function mismatch(message: string): HttpEra {
  return refused({ code: HEADER_MISMATCH, message })
}

function refused(error: RpcError): HttpEra {
  return { era: "refused", error }
}

function shorten(text: string): string {
  return text.length > 100 ? `${text.slice(0, 100)}…` : text
}
