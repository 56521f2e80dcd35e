import { formatPointer } from "@x/tool-schemas/json"

/** What a JSON-RPC request is known by; `null` where it is not known which one is answered. */
export type RequestId = string | number | null

/** A JSON-RPC error as it is sent. */
export interface RpcError {
  /** JSON-RPC's code, or MCP's. */
  readonly code: number
  /** What was found, what was expected, and what to do. */
  readonly message: string
  /** Details, such as the place. */
  readonly data?: unknown
}

/** -32700: what came is no JSON. */
export const PARSE_ERROR = -32700
/** -32600: it is JSON, and no message. */
export const INVALID_REQUEST = -32600
/** -32020: the headers and the body disagree (2026-07-28, basic/index, error codes). */
export const HEADER_MISMATCH = -32020
/** -32022: the revision is not spoken (2026-07-28, basic/index, error codes). */
export const UNSUPPORTED_VERSION = -32022
/** -32000: a refusal that is no fault of the message. */
export const REFUSED = -32000
/** -32001: the session is not known, as clients know it from the SDKs. */
export const NO_SESSION = -32001

/** Where in a message something is wrong, as the data of an error: a JSON Pointer, where it is not the whole. */
export function toPlace(at: readonly (string | number)[]): { readonly data?: { readonly at: string } } {
  return at.length === 0 ? {} : { data: { at: formatPointer(at) } }
}

/** What is said to whoever asks while the server is about to end. */
export const CLOSING: RpcError = { code: REFUSED, message: "the server is closing: connect again later" }

/** The text of an answer that is an error. */
export function formatError(error: RpcError, id: RequestId): string {
  return JSON.stringify({ jsonrpc: "2.0", error, id })
}
