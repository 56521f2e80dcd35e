import { Server } from "@modelcontextprotocol/server"
import type { Caller, Connection, Endpoint } from "../endpoint.js"
import type { Handler } from "../handlers/handlers.js"
import { settled } from "./settled.js"
import { toCallContext } from "./to-call-context.js"

/** Puts the neutral handlers on an SDK server for one caller; cheap, because HTTP builds one per modern request. */
export function createServer(endpoint: Endpoint, connection: Connection, caller: Caller): Server {
  const { info, instructions, report } = endpoint
  const capabilities = endpoint.capabilities(caller.leg)
  const server = new Server(info, { capabilities, ...(instructions !== undefined && { instructions }) })
  server.onerror = (cause) => report({ code: "transport_failed", message: cause.message, cause })
  const legacy = caller.leg.era === "legacy" ? connection.subscriptions.handlers : {}
  for (const [method, handler] of Object.entries({ ...connection.handlers, ...legacy })) {
    const answer = method === "tools/call" ? afterNotices(endpoint, handler) : handler
    // The table is keyed by plain strings; any one method's signature stands for all of them.
    server.setRequestHandler(method as "ping", (request, context) => {
      const call = toCallContext(caller, server, context)
      return answer(request.params ?? {}, call.context).finally(call.end)
    })
  }
  return server
}

/** On one pipe, what a call changed is noticed before the call is answered, where a notice is due. */
function afterNotices(endpoint: Endpoint, handler: Handler): Handler {
  return async (params, context) => {
    const result = await handler(params, context)
    if (context.leg.transport !== "http") await settled(endpoint.clock)
    return result
  }
}
