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
import { findParamsFault } from "./check-params.js"
import { afterNotices, deliverNotices } from "./deliver-notices.js"
import { MODERN } from "./era.js"
import type { RpcError } from "./rpc-error.js"
import type { Stops } from "./stops.js"
import { ANSWER_TIME, type Call, clientInfoOf, createPeer, type PeerWays, toContext } from "./to-context.js"

/** What a server of the SDK serves. */
export interface ServerOptions {
  /** Whom it serves, and over what. */
  readonly caller: Caller
  /** Tells its requests to stop. */
  readonly stops: Stops
  /** Told what goes wrong with the connection. */
  readonly failed: (cause: Error) => void
  /** The only method it is asked for, where it is made for one request; then it has no other. Default: all there are. */
  readonly only?: string | undefined
  /**
   * Takes the handler that answers a request in the place of the one for its method, where there is one, for the first time
   * it is asked: the lane has run it. Default: there is none.
   */
  readonly instead?: ((id: string | number) => Handler | undefined) | undefined
}

/** Puts the neutral handlers on an SDK server for one caller; cheap, because HTTP builds one per modern request. */
export function createServer(endpoint: Endpoint, connection: Connection, options: ServerOptions): Server {
  const { caller, stops, failed, only, instead } = options
  // They are told where a client and a server meet, and nowhere else: most servers are made for one request.
  const instructions = only === undefined || MEETING.includes(only) ? connection.instructions() : undefined
  const server = new Server(endpoint.info, {
    capabilities: endpoint.capabilities(caller.leg),
    enforceStrictCapabilities: true,
    supportedProtocolVersions: caller.leg.era === "modern" ? [MODERN] : SUPPORTED_PROTOCOL_VERSIONS,
    ...(instructions !== undefined && { instructions }),
  })
  server.onerror = failed
  const put = (method: string): void => {
    const handler = handlerOf(connection, caller.leg, method)
    if (handler === undefined) return
    const answer = method === "tools/call" ? afterNotices(endpoint, handler) : handler
    // The border has checked what MCP says of the parameters, in its own words.
    server.setRequestHandler(method, { params: anyObject }, (params: Params, context: ServerContext) => {
      const call = toCallContext({ caller, stops }, server, context)
      const { id } = context.mcpReq
      const given = instead?.(id)
      return (given ?? answer)(params, call.context).catch(notFound.note(id)).finally(call.end)
    })
  }
  const notFound = keepNotFound(server, caller.leg)
  if (only !== undefined) put(only)
  else for (const method of methodsOf(connection, caller.leg)) put(method)
  if (caller.leg.era === "legacy") answerProbes(server)
  return server
}

const MEETING: readonly string[] = ["initialize", "server/discover"]

/** Has the answers of the legacy era keep the code of an unknown resource, which the SDK writes as another. */
interface NotFound {
  /** Notes what a request failed with, and throws it on. */
  note(id: string | number): (cause: unknown) => never
}

/** -32002 is the code of 2024-11-05 to 2025-11-25 (server/resources, error handling); the newer revision forbids it. */
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
 * Answers lists of what is not served with none, in the legacy era: hosts ask for them all, and take an error for a server that
 * failed. The newer revision demands an error (2026-07-28, basic/transports/streamable-http, request handling).
 */
function answerProbes(server: Server): void {
  server.fallbackRequestHandler = async ({ method }) => {
    const list = EMPTY_LISTS.get(method)
    if (list === undefined) throw new ProtocolError(METHOD_NOT_FOUND, "Method not found")
    return { [list]: [] }
  }
}

/** What their results hold the items in. */
const EMPTY_LISTS: ReadonlyMap<string, string> = new Map([
  ["prompts/list", "prompts"],
  ["resources/list", "resources"],
  ["resources/templates/list", "resourceTemplates"],
])

function handlerOf(connection: Connection, leg: Leg, method: string): Handlers[string] | undefined {
  const { handlers } = connection
  if (Object.hasOwn(handlers, method)) return handlers[method]
  // They are made for who asks for them.
  const own = hasSubscriptions(leg) && method.startsWith("resources/") ? connection.subscriptions().handlers : {}
  return Object.hasOwn(own, method) ? own[method] : undefined
}

function methodsOf(connection: Connection, leg: Leg): readonly string[] {
  const own = hasSubscriptions(leg) ? Object.keys(connection.subscriptions().handlers) : []
  return [...Object.keys(connection.handlers), ...own]
}

/**
 * Finds what is wrong with the parameters of a request that is served, in our words; `undefined` where nothing is, or where the
 * method is none that is served, which is for the SDK to say.
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

/** What a server for a legacy connection that lasts is told. */
interface LiveServerOptions extends ServerOptions {
  /** Sends a notice over the connection. */
  readonly notify: (notice: ServerNotice) => void
  /** Runs when the server has closed. */
  readonly closed: () => void
}

/**
 * A server for a legacy connection that lasts: it delivers the view's notices while it is open, none before the client says
 * that it is ready (2025-11-25, basic/lifecycle).
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

/** What a legacy client has said of itself. */
export function aboutClient(server: Server): Pick<CallContext, "clientInfo" | "clientCapabilities"> {
  const clientInfo = server.getClientVersion()
  return { ...(clientInfo && { clientInfo }), clientCapabilities: server.getClientCapabilities() ?? {} }
}

/** Translates what the SDK knows about a request. */
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

/** What this very request declared: modern requests do, and nothing may be remembered from the ones before. */
function capabilitiesOf(request: ServerContext): CallContext["clientCapabilities"] | undefined {
  const declared = envelopeOf(request)[CLIENT_CAPABILITIES_META_KEY]
  return typeof declared === "object" && declared !== null ? { ...declared } : undefined
}

/** The SDK's type of the envelope names no keys, although it has checked them. */
function envelopeOf(request: ServerContext): Readonly<Record<string, unknown>> {
  return request.mcpReq.envelope ?? {}
}

type Properties = Readonly<Record<string, unknown>>

/** Lets any parameters and results pass, where the SDK wants a schema for a method it does not know. JSON-RPC has objects only. */
const anyObject: StandardSchemaV1<Properties, Properties> = {
  "~standard": {
    version: 1,
    vendor: "@x/mcp-adapter",
    validate: (value) =>
      typeof value === "object" && value !== null ? { value: { ...value } } : { issues: [{ message: "no object" }] },
  },
}
