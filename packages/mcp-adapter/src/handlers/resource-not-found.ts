import type { Leg } from "../calls/call-context.js"
import type { Params } from "./handlers.js"
import { INVALID_PARAMS, ProtocolError } from "./protocol-error.js"

/** -32602 in the modern era, which forbids the -32002 of the legacy one (2026-07-28 and 2025-11-25, server/resources). */
export function toResourceNotFound(uri: string, { era }: Leg): ProtocolError {
  return new ProtocolError(era === "modern" ? INVALID_PARAMS : -32002, "resource not found", { data: { uri } })
}

/** The `uri` of a request. */
export function toUri({ uri }: Params): string {
  if (typeof uri === "string") return uri
  throw new ProtocolError(INVALID_PARAMS, 'expected "uri", a string')
}
