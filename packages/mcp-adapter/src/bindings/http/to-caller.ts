import type { Principal } from "@x/agentic-service"
import type { Leg } from "../../calls/call-context.js"
import type { Caller } from "../../endpoint.js"
import type { HttpExchange, RequestExtra } from "./http-exchange.js"

/** Who sent a request that belongs to no session. */
export function toCaller({ principal, extra }: HttpExchange, leg: Leg): Caller {
  return { ...(principal && { principal }), client: toClient(principal, extra), leg }
}

/** What a client is known by where limits count. */
export function toClient(principal: Principal | undefined, { remoteAddress }: RequestExtra): string {
  return principal?.id ?? remoteAddress ?? "anonymous"
}
