/** A caller's mistake, or a fault of ours, as JSON-RPC says it. Both SDKs read these three fields. */
export class ProtocolError extends Error {
  /** Always `ProtocolError`. */
  override readonly name = "ProtocolError"
  /** The JSON-RPC code, from the MCP specification (2026-07-28, basic/index, error codes). */
  readonly code: number
  /** Structured details that may be sent. */
  readonly data?: unknown

  constructor(code: number, message: string, options: { readonly data?: unknown; readonly cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    if (options.data !== undefined) this.data = options.data
  }
}

/** -32601: no such method, or none that is announced. */
export const METHOD_NOT_FOUND = -32601
/** -32602: the parameters are wrong, an unknown tool or resource included. */
export const INVALID_PARAMS = -32602
/** -32603: a fault of ours. */
export const INTERNAL_ERROR = -32603
/** -32021: the request needs a client capability that it did not declare (2026-07-28, basic/index). */
export const MISSING_CAPABILITY = -32021
