import type { CallContext } from "../calls/call-context.js"
import type { Report } from "../runtime/diagnostic.js"

/** Answers one MCP method: plain parameters in, plain result out, {@link ProtocolError} thrown for a caller's mistake. */
export type Handler = (params: Params, context: CallContext) => Promise<Result>

/** A request's parameters, already checked by the SDK against the spec's schema. */
export type Params = Readonly<Record<string, unknown>>

/** A method's result: plain JSON. A `type` so that SDK result types accept it. */
export type Result = { [key: string]: unknown }

/**
 * A result with something behind what it has. Node 20 gives what begins with a spread, and goes on, a hidden class of its own each
 * time: ten times the work, for as long as only a whole collection finds.
 */
export function addTo(result: Result, more: Result): Result {
  return Object.assign({}, result, more)
}

/** The methods that are ours, by name; bindings put them on whatever server they have. */
export type Handlers = Readonly<Record<string, Handler>>

/** Turns whatever a handler of ours throws by mistake into an internal error, its cause told to the operator only. */
export function guardHandlers(handlers: Handlers, report: Report): Handlers {
  return Object.fromEntries(
    Object.entries(handlers).map(([method, handler]) => [method, guard(method, handler, report)]),
  )
}

function guard(method: string, handler: Handler, report: Report): Handler {
  return async (params, context) => {
    try {
      return await handler(params, context)
    } catch (cause) {
      if (cause instanceof ProtocolError) throw cause
      report({ code: "handler_failed", message: `the handler of "${method}" threw: expected a result`, cause })
      throw toInternalError(cause)
    }
  }
}

function toInternalError(cause: unknown): ProtocolError {
  return new ProtocolError(INTERNAL_ERROR, "internal error", { cause })
}

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
/** -32002: no such resource, in the revisions up to 2025-11-25. */
export const RESOURCE_NOT_FOUND = -32002
/** -32602: the parameters are wrong, an unknown tool or resource included. */
export const INVALID_PARAMS = -32602
/** -32603: a fault of ours. */
export const INTERNAL_ERROR = -32603
/** -32021: the request needs a client capability that it did not declare (2026-07-28, basic/index). */
export const MISSING_CAPABILITY = -32021
