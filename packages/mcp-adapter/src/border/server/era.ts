import { PROTOCOL_VERSION_META_KEY } from "@modelcontextprotocol/server"
import { isRecord } from "@x/tool-schemas/json"
import { findEnvelopeFault } from "./check-params.js"
import { type RpcError, UNSUPPORTED_VERSION } from "./rpc-error.js"

/** The one modern revision that is spoken; those before it are negotiated by `initialize`. */
export const MODERN = "2026-07-28"

/** Whether a revision is of the modern era; dates compare as text. */
export function isModern(version: string): boolean {
  return version >= MODERN
}

/** What a message says of its revision (2026-07-28, basic/versioning): nothing, as the legacy era does, or which, or it says it wrongly. */
export type Claim =
  | { readonly kind: "none" }
  | { readonly kind: "version"; readonly version: string }
  | { readonly kind: "fault"; readonly error: RpcError }

/** What messages of which the revision may be asked have. */
interface Asking {
  /** The method. */
  readonly method: string
  /** Its parameters. */
  readonly params?: unknown
  /** Which request it is; absent for a notification. */
  readonly id?: unknown
}

/**
 * Reads what a request or a notification claims. The request `initialize` is the legacy handshake, unless all of its claim is in order.
 * Of a notification the version alone is looked at.
 */
export function readClaim({ method, params, id }: Asking): Claim {
  const meta = isRecord(params) ? params["_meta"] : undefined
  if (!isRecord(meta) || !(PROTOCOL_VERSION_META_KEY in meta)) return NO_CLAIM
  const version = meta[PROTOCOL_VERSION_META_KEY]
  const fault = id === undefined && typeof version === "string" ? undefined : findEnvelopeFault(meta)
  const stated = typeof version === "string" ? version : ""
  if (method === "initialize" && id !== undefined && (fault !== undefined || !isModern(stated))) return NO_CLAIM
  return fault === undefined ? { kind: "version", version: stated } : { kind: "fault", error: fault }
}

const NO_CLAIM: Claim = { kind: "none" }

/** The error for a revision that is not spoken, and those that are (2026-07-28, basic/versioning); `undefined` for one that is. */
export function findVersionFault(requested: string | undefined): RpcError | undefined {
  if (requested === MODERN) return undefined
  const message = `Unsupported protocol version: ${requested === undefined ? "none was named" : requested.slice(0, 100)}`
  return {
    code: UNSUPPORTED_VERSION,
    message,
    data: { supported: [MODERN], ...(requested !== undefined && { requested }) },
  }
}

/** Whether a revision of the legacy era has batches, which a server must take (2025-03-26, basic). */
export function hasBatches(version: string): boolean {
  return version <= "2025-03-26"
}

/** Whether a revision's clients know how to come back to a stream whose events have ids (2025-11-25, basic/transports). */
export function hasResumption(version: string): boolean {
  return version >= "2025-11-25"
}
