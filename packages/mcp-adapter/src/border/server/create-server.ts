import {
  CLIENT_CAPABILITIES_META_KEY,
  Server,
  type ServerContext,
  type StandardSchemaV1,
} from "@modelcontextprotocol/server"
import type { CallContext, Leg } from "../../calls/call-context.js"
import type { Caller, Connection, Endpoint } from "../../endpoint.js"
import type { Params } from "../../handlers/handler.js"
import { isChecked } from "../../handlers/methods.js"
import { afterNotices, deliverNotices, type NoticeSender } from "./deliver-notices.js"
import { ANSWER_TIME, type Call, clientInfoOf, createPeer, type PeerWays, toContext } from "./to-context.js"

/** Puts the neutral handlers on an SDK server for one caller; cheap, because HTTP builds one per modern request. */
export function createServer(endpoint: Endpoint, connection: Connection, caller: Caller): Server {
  const { info, instructions } = endpoint
  const { report } = endpoint.host
  const capabilities = endpoint.capabilities(caller.leg)
  const server = new Server(info, {
    capabilities,
    enforceStrictCapabilities: true,
    ...(instructions !== undefined && { instructions }),
  })
  server.onerror = (cause) => report({ code: "transport_failed", message: cause.message, cause })
  const legacy = caller.leg.era === "legacy" && caller.leg.notices ? connection.subscriptions.handlers : {}
  for (const [method, handler] of Object.entries({ ...connection.handlers, ...legacy })) {
    const answer = method === "tools/call" ? afterNotices(endpoint, handler) : handler
    const serve = (params: Params, context: ServerContext) => {
      const call = toCallContext(caller, server, context)
      return answer(params, call.context).finally(call.end)
    }
    // The table is keyed by plain strings; any one method's signature stands for all of them.
    if (isChecked(method))
      server.setRequestHandler(method as "ping", ({ params = {} }, context) => serve(params, context))
    else server.setRequestHandler(method, { params: anyObject }, serve)
  }
  return server
}

/** What a server for a connection that lasts is told. */
interface LiveServerOptions {
  /** Whom it serves. */
  readonly caller: Caller
  /** What notices are sent through. Default: the server itself. */
  readonly through?: (server: NoticeSender) => NoticeSender
  /** Runs when the server has closed. */
  readonly closed?: () => void
}

/**
 * A server for a connection that lasts: it delivers the view's notices while it is open. A legacy client gets none before
 * it says that it is ready (2025-11-25, basic/lifecycle).
 */
export function createLiveServer(
  endpoint: Endpoint,
  connection: Connection,
  { caller, through = (server) => server, closed }: LiveServerOptions,
): Server {
  const server = createServer(endpoint, connection, caller)
  let stop: (() => void) | undefined
  const start = () => {
    stop ??= deliverNotices(endpoint, connection, {
      server: through(server),
      caller,
      ...clientInfoOf(caller.leg, server),
      ended: () => void server.close(),
    })
  }
  if (caller.leg.era === "legacy") server.oninitialized = start
  else start()
  server.onclose = () => {
    stop?.()
    closed?.()
  }
  return server
}

/** Translates what the SDK knows about a request. */
export function toCallContext(caller: Caller, server: Server, request: ServerContext): Call {
  const { _meta: meta, signal, requestState, inputResponses } = request.mcpReq
  const state = requestState()
  const { peer, end } = createPeer({ ...waysOf(request, caller.leg), failed: (error) => server.onerror?.(error) })
  const clientCapabilities = capabilitiesOf(request) ?? server.getClientCapabilities() ?? {}
  return {
    context: {
      ...toContext(caller, { server, meta, signal, peer, clientCapabilities }),
      ...(typeof state === "string" && { requestState: state }),
      ...(inputResponses && { inputResponses: { ...inputResponses } }),
    },
    end,
  }
}

function waysOf({ mcpReq }: ServerContext, { era, notices }: Leg): Omit<PeerWays, "failed"> {
  const { log, notify, send, signal } = mcpReq
  const request: PeerWays["request"] = (message) => send(message, anyObject, { timeout: ANSWER_TIME, signal })
  return { signal, notify, log, ...(era === "legacy" && notices && { request }) }
}

/** What this very request declared: modern requests do, and nothing may be remembered from the ones before. */
function capabilitiesOf(request: ServerContext): CallContext["clientCapabilities"] | undefined {
  // The SDK's type of the envelope names no keys, although it has checked them.
  const envelope: Readonly<Record<string, unknown>> = request.mcpReq.envelope ?? {}
  const declared = envelope[CLIENT_CAPABILITIES_META_KEY]
  return typeof declared === "object" && declared !== null ? { ...declared } : undefined
}

type Properties = Readonly<Record<string, unknown>>

/** Lets any parameters and results pass, where the SDK wants a schema for a method it does not know. JSON-RPC has objects only. */
export const anyObject: StandardSchemaV1<Properties, Properties> = {
  "~standard": {
    version: 1,
    vendor: "@x/mcp-adapter",
    validate: (value) =>
      typeof value === "object" && value !== null ? { value: { ...value } } : { issues: [{ message: "no object" }] },
  },
}
