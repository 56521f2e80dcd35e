import {
  CLIENT_CAPABILITIES_META_KEY,
  Server,
  type ServerContext,
  type StandardSchemaV1,
  SUPPORTED_PROTOCOL_VERSIONS,
} from "@modelcontextprotocol/server"
import { type CallContext, type Leg, toClientInfo } from "../../calls/call-context.js"
import type { Caller, Connection, Endpoint } from "../../endpoint.js"
import type { ServerNotice } from "../../handlers/extension.js"
import {
  type Handler,
  type Handlers,
  METHOD_NOT_FOUND,
  type Params,
  ProtocolError,
  RESOURCE_NOT_FOUND,
} from "../../handlers/handler.js"
import { isModernOnly } from "../../handlers/methods.js"
import { findParamsFault } from "./check-params.js"
import { afterNotices, deliverNotices } from "./deliver-notices.js"
import { MODERN } from "./era.js"
import { putRequests } from "./put-requests.js"
import type { RpcError } from "./rpc-error.js"
import type { Stops } from "./stops.js"
import { ANSWER_TIME, type Call, clientInfoOf, createPeer, type PeerWays, toContext } from "./to-context.js"

/** Options of an SDK server. */
export interface ServerOptions {
  /** The client and its leg. */
  readonly caller: Caller
  /** Tells running requests to stop. */
  readonly stops: Stops
  /** Reports a connection error. */
  readonly failed: (cause: Error) => void
  /** The only method to serve, for a server made for one request. Default: all methods. */
  readonly only?: string | undefined
  /**
   * Returns the handler that answers a request instead of its method's, the first time it is asked for an id: the lane has
   * already run the action. Default: none.
   */
  readonly instead?: ((id: string | number) => Handler | undefined) | undefined
}

/** Puts the neutral handlers on an SDK server for one caller. Cheap, because HTTP creates one for each modern request. */
export function createServer(endpoint: Endpoint, connection: Connection, options: ServerOptions): Server {
  const { caller, stops, failed, only, instead } = options
  // Instructions are sent only when client and server meet; most servers are made for one request.
  const instructions = only === undefined || MEETING.includes(only) ? connection.instructions() : undefined
  const server = new Server(endpoint.info, {
    capabilities: endpoint.capabilities(caller.leg),
    enforceStrictCapabilities: true,
    supportedProtocolVersions: caller.leg.era === "modern" ? [MODERN] : SUPPORTED_PROTOCOL_VERSIONS,
    ...(instructions !== undefined && { instructions }),
  })
  server.onerror = failed
  const legacy = caller.leg.era === "legacy"
  const put = (method: string): void => {
    const handler = handlerOf(connection, caller.leg, method)
    if (handler === undefined) return
    const answer = afterNotices(endpoint, method, handler)
    // The border has already checked the parameters that MCP defines.
    server.setRequestHandler(method, { params: anyObject }, (params: Params, context: ServerContext) => {
      const call = toCallContext({ caller, stops }, server, context)
      const { id } = context.mcpReq
      const given = instead?.(id)
      const first = given ?? answer
      return (legacy ? putRequests(first, { again: answer, isCall: method === "tools/call" }) : first)(
        params,
        call.context,
      )
        .catch(notFound.note(id))
        .finally(call.end)
    })
  }
  const notFound = keepNotFound(server, caller.leg)
  if (only !== undefined) put(only)
  else for (const method of methodsOf(connection, caller.leg)) put(method)
  if (legacy) answerProbes(server)
  return server
}

const MEETING: readonly string[] = ["initialize", "server/discover"]

/** Restores the legacy era's error code for an unknown resource, which the SDK replaces. */
interface NotFound {
  /** Records a request's error and rethrows it. */
  note(id: string | number): (cause: unknown) => never
}

/** Uses -32002, the code of 2024-11-05 to 2025-11-25 (server/resources, error handling). The newer revision forbids it. */
function keepNotFound(server: Server, { era }: Leg): NotFound {
  const missing = new Set<unknown>()
  const { connect } = server
  if (era === "legacy")
    server.connect = (transport) => {
      const { send } = transport
      transport.send = (message, options) => {
        const restored = "error" in message && missing.delete(message.id)
        const given = restored ? { ...message, error: { ...message.error, code: RESOURCE_NOT_FOUND } } : message
        return send.call(transport, given, options)
      }
      return connect.call(server, transport)
    }
  return {
    note: (id) => (cause) => {
      if (era === "legacy" && Reflect.get(Object(cause), "code") === RESOURCE_NOT_FOUND) missing.add(id)
      throw cause
    },
  }
}

/**
 * Answers lists that are not served with empty ones, in the legacy era: hosts ask for all lists, and treat an error as a failed
 * server. The newer revision requires an error (2026-07-28, basic/transports/streamable-http, request handling).
 */
function answerProbes(server: Server): void {
  server.fallbackRequestHandler = async ({ method }) => {
    const list = EMPTY_LISTS.get(method)
    if (list === undefined) throw new ProtocolError(METHOD_NOT_FOUND, "Method not found")
    return { [list]: [] }
  }
}

/** The field that holds each list's items. */
const EMPTY_LISTS: ReadonlyMap<string, string> = new Map([
  ["prompts/list", "prompts"],
  ["resources/list", "resources"],
  ["resources/templates/list", "resourceTemplates"],
])

function handlerOf(connection: Connection, leg: Leg, method: string): Handlers[string] | undefined {
  const { handlers } = connection
  // An extension may serve them in both eras.
  if (leg.era === "legacy" && isModernOnly(method) && connection.ownHandler(method) !== undefined) return undefined
  if (Object.hasOwn(handlers, method)) return handlers[method]
  // Created on the first request for them.
  const own = hasSubscriptions(leg) && method.startsWith("resources/") ? connection.subscriptions().handlers : {}
  return Object.hasOwn(own, method) ? own[method] : undefined
}

function methodsOf(connection: Connection, leg: Leg): readonly string[] {
  const own = hasSubscriptions(leg) ? Object.keys(connection.subscriptions().handlers) : []
  return [...Object.keys(connection.handlers), ...own]
}

/**
 * Returns a fault in a served request's parameters. Returns `undefined` for valid ones, and for unserved methods, which the SDK
 * reports.
 */
export function findFault(
  endpoint: Endpoint,
  { connection, leg }: { readonly connection: Connection; readonly leg: Leg },
  { method, params }: { readonly method: string; readonly params?: unknown },
): RpcError | undefined {
  const served =
    handlerOf(connection, leg, method) !== undefined ||
    (leg.era === "legacy" && method === "initialize") ||
    (leg.era === "legacy" && method === "logging/setLevel" && endpoint.capabilities(leg).logging !== undefined)
  return served ? findParamsFault(method, params) : undefined
}

function hasSubscriptions({ era, notices }: Leg): boolean {
  return era === "legacy" && notices
}

/** Options of a server for a lasting legacy connection. */
interface LiveServerOptions extends ServerOptions {
  /** Sends a notice over the connection. */
  readonly notify: (notice: ServerNotice) => void
  /** Runs when the server has closed. */
  readonly closed: () => void
}

/**
 * Creates a server for a lasting legacy connection. It delivers the view's notices from the moment the client says that it is
 * ready (2025-11-25, basic/lifecycle).
 */
export function createLiveServer(endpoint: Endpoint, connection: Connection, options: LiveServerOptions): Server {
  const { caller, notify, closed } = options
  const server = createServer(endpoint, connection, options)
  let stop: (() => void) | undefined
  server.oninitialized = () => {
    stop ??= deliverNotices(endpoint, connection, {
      send: notify,
      caller,
      ...clientInfoOf(caller.leg, server),
      ended: () => void server.close(),
    })
  }
  server.onclose = () => {
    stop?.()
    closed()
  }
  return server
}

/** Returns a legacy client's name, version and capabilities. */
export function aboutClient(server: Server): Pick<CallContext, "clientInfo" | "clientCapabilities"> {
  const clientInfo = server.getClientVersion()
  return { ...(clientInfo && { clientInfo }), clientCapabilities: server.getClientCapabilities() ?? {} }
}

/** Converts the SDK's request context. */
function toCallContext(
  { caller, stops }: Pick<ServerOptions, "caller" | "stops">,
  server: Server,
  request: ServerContext,
): Call {
  const { _meta: meta, signal, requestState, inputResponses } = request.mcpReq
  const state = requestState()
  const clientCapabilities = capabilitiesOf(request) ?? server.getClientCapabilities() ?? {}
  const info = caller.leg.era === "modern" ? toClientInfo(envelopeOf(request)) : undefined
  const failed = (error: Error): void => server.onerror?.(error)
  const { peer, end } = createPeer({ ...waysOf(request, caller.leg), clientCapabilities, failed })
  const followed = stops.follow(signal)
  return {
    context: {
      ...toContext(caller, { server, meta, signal: followed.signal, peer, clientCapabilities }),
      ...(info && { info }),
      ...(typeof state === "string" && { requestState: state }),
      ...(inputResponses && { inputResponses: { ...inputResponses } }),
    },
    end() {
      followed.end()
      end()
    },
  }
}

function waysOf({ mcpReq }: ServerContext, { era, notices }: Leg): Omit<PeerWays, "failed" | "clientCapabilities"> {
  const { log, notify, send, signal } = mcpReq
  const request: PeerWays["request"] = (message) => send(message, anyObject, { timeout: ANSWER_TIME, signal })
  return { signal, notify, log, ...(era === "legacy" && notices && { request }) }
}

/** Returns the capabilities declared in this request. Only modern requests declare them, each for itself. */
function capabilitiesOf(request: ServerContext): CallContext["clientCapabilities"] | undefined {
  const declared = envelopeOf(request)[CLIENT_CAPABILITIES_META_KEY]
  return typeof declared === "object" && declared !== null ? { ...declared } : undefined
}

/** Returns the envelope, which the SDK has checked, although its type names no keys. */
function envelopeOf(request: ServerContext): Readonly<Record<string, unknown>> {
  return request.mcpReq.envelope ?? {}
}

type Properties = Readonly<Record<string, unknown>>

/** Accepts any parameters and results, for methods that the SDK does not know. JSON-RPC allows objects only. */
const anyObject: StandardSchemaV1<Properties, Properties> = {
  "~standard": {
    version: 1,
    vendor: "@x/mcp-adapter",
    validate: (value) =>
      typeof value === "object" && value !== null
        ? { value: { ...value } }
        : { issues: [{ message: "expected an object" }] },
  },
}
