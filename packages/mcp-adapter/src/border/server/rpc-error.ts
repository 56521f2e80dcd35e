import { formatPointer } from "@x/base"

/** The id of a JSON-RPC request; `null` if the answered request is unknown. */
export type RequestId = string | number | null

/** A JSON-RPC error as sent. */
export interface RpcError {
  /** A code of JSON-RPC or MCP. */
  readonly code: number
  /** The found and expected values, and the next step. */
  readonly message: string
  /** Details, such as the place. */
  readonly data?: unknown
}

/** -32700: the input is not JSON. */
export const PARSE_ERROR = -32700
/** -32600: valid JSON but an invalid message. */
export const INVALID_REQUEST = -32600
/** -32022: the revision is not supported (2026-07-28, basic/index, error codes). */
export const UNSUPPORTED_VERSION = -32022
/** -32000: a refusal for another reason than the message. */
export const REFUSED = -32000
/** -32001: the session is unknown; the code that the SDKs use. */
export const NO_SESSION = -32001

/** Returns the place of a fault as error data, a JSON Pointer; nothing if the whole message is at fault. */
export function toPlace(at: readonly (string | number)[]): { readonly data?: { readonly at: string } } {
  return at.length === 0 ? {} : { data: { at: formatPointer(at) } }
}

/** The answer to requests during shutdown. */
export const CLOSING: RpcError = { code: REFUSED, message: "the server is closing: connect again later" }

/** Formats an error answer as JSON text. */
export function formatError(error: RpcError, id: RequestId): string {
  return JSON.stringify({ jsonrpc: "2.0", error, id })
}
