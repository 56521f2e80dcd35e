import { Server, type ServerContext } from "@modelcontextprotocol/server"
import type { Caller, Connection, Endpoint } from "../../endpoint.js"
import type { Params } from "../../handlers/handlers.js"
import { afterNotices } from "./after-notices.js"
import { anyObject } from "./any-object.js"
import { toCallContext } from "./to-call-context.js"

/** Puts the neutral handlers on an SDK server for one caller; cheap, because HTTP builds one per modern request. */
export function createServer(endpoint: Endpoint, connection: Connection, caller: Caller): Server {
  const { info, instructions, report } = endpoint
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
    if (CHECKED.has(method))
      server.setRequestHandler(method as "ping", ({ params = {} }, context) => serve(params, context))
    else server.setRequestHandler(method, { params: anyObject }, serve)
  }
  return server
}

/** The methods whose parameters the SDK checks. */
const CHECKED: ReadonlySet<string> = new Set([
  "completion/complete",
  "prompts/get",
  "prompts/list",
  "resources/list",
  "resources/read",
  "resources/subscribe",
  "resources/templates/list",
  "resources/unsubscribe",
  "tools/call",
  "tools/list",
])
