import { PROTOCOL_VERSION_META_KEY } from "@modelcontextprotocol/server"
import { isRecord } from "@x/base"
import { type ClientInfo, readClientInfo, toClientInfo } from "../../calls/call-context.js"
import { findEnvelopeFault } from "./check-params.js"
import { type RpcError, UNSUPPORTED_VERSION } from "./rpc-error.js"

/** The one supported modern revision; earlier ones are negotiated by `initialize`. */
export const MODERN = "2026-07-28"

/** Whether a revision belongs to the modern era; dates compare as text. */
export function isModern(version: string): boolean {
  return version >= MODERN
}

/**
 * A message's claim about its revision (2026-07-28, basic/versioning): none, as in the legacy era, a version, or a faulty
 * claim.
 */
export type Claim =
  | { readonly kind: "none" }
  | { readonly kind: "version"; readonly version: string }
  | { readonly kind: "fault"; readonly error: RpcError }

/** The parts of a message that can carry a claim. */
interface MessageParts {
  /** The method. */
  readonly method: string
  /** The parameters. */
  readonly params?: unknown
  /** The request's id; absent for a notification. */
  readonly id?: unknown
}

/**
 * Reads the claim of a request or notification. An `initialize` request is the legacy handshake unless its claim is complete
 * and modern. For a notification only the version is checked.
 */
export function readClaim({ method, params, id }: MessageParts): Claim {
  const meta = isRecord(params) ? params["_meta"] : undefined
  if (!isRecord(meta) || !(PROTOCOL_VERSION_META_KEY in meta)) return NO_CLAIM
  const version = meta[PROTOCOL_VERSION_META_KEY]
  const fault = id === undefined && typeof version === "string" ? undefined : findEnvelopeFault(meta)
  const stated = typeof version === "string" ? version : ""
  if (method === "initialize" && id !== undefined && (fault !== undefined || !isModern(stated))) return NO_CLAIM
  return fault === undefined ? { kind: "version", version: stated } : { kind: "fault", error: fault }
}

const NO_CLAIM: Claim = { kind: "none" }

/** Returns the client's stated name and version, from the legacy handshake or the request's `_meta`; `undefined` if absent. */
export function clientOf({ method, params }: MessageParts): ClientInfo | undefined {
  if (!isRecord(params)) return undefined
  const { _meta: meta, clientInfo } = params
  const isHandshake = method === "initialize" && clientInfo !== undefined
  const stated = isHandshake ? readClientInfo(clientInfo) : undefined
  if (isHandshake) return stated && { ...stated, handshake: true }
  return toClientInfo(isRecord(meta) ? meta : undefined)
}

/**
 * Returns the error for an unsupported revision, with the supported ones (2026-07-28, basic/versioning); `undefined` for a
 * supported one.
 */
export function findVersionFault(requested: string | undefined): RpcError | undefined {
  return requested === MODERN ? undefined : toVersionFault(requested)
}

/** Returns the error for an unsupported revision, or for the modern one requested in the legacy way. */
export function toVersionFault(requested: string | undefined): RpcError {
  const found = requested === undefined ? "the request names none" : requested.slice(0, 100)
  const message =
    requested === MODERN
      ? `${MODERN} was requested like a legacy revision: state it in "params._meta" of each request`
      : `Unsupported protocol version: ${found}`
  return {
    code: UNSUPPORTED_VERSION,
    message,
    data: { supported: [MODERN], ...(requested !== undefined && { requested }) },
  }
}

/** Whether a legacy revision has batches, which a server must accept (2025-03-26, basic). */
export function hasBatches(version: string): boolean {
  return version <= "2025-03-26"
}

/** Whether a revision's clients can resume a stream by event ids (2025-11-25, basic/transports). */
export function hasResumption(version: string): boolean {
  return version >= "2025-11-25"
}
