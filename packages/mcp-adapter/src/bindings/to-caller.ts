import type { Leg } from "../calls/call-context.js"
import type { Caller } from "../endpoint.js"
import type { HttpExchange } from "./http-exchange.js"

/** Who sent a request that belongs to no session. */
export function toCaller({ principal, extra }: HttpExchange, leg: Leg): Caller {
  return { ...(principal && { principal }), client: principal?.id ?? extra.remoteAddress ?? "anonymous", leg }
}
