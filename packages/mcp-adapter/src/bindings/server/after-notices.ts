import type { Endpoint } from "../../endpoint.js"
import type { Handler } from "../../handlers/handlers.js"
import { settled } from "./settled.js"

/** On one pipe, what a call changed is noticed before the call is answered, where a notice is due. */
export function afterNotices(endpoint: Endpoint, handler: Handler): Handler {
  return async (params, context) => {
    const result = await handler(params, context)
    if (context.leg.transport !== "http") await settled(endpoint.clock)
    return result
  }
}
