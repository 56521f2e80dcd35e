import { isRecord, showShort } from "@x/base"
import type { CallContext } from "../calls/call-context.js"
import type { Report } from "../runtime/diagnostic.js"

/**
 * Answers one MCP method. It takes plain parameters and returns a plain result. A caller's mistake is a thrown
 * {@link ProtocolError}.
 */
export type Handler = (params: Params, context: CallContext) => Promise<Result>

/** A request's parameters, already checked by the SDK against the spec's schema. */
export type Params = Readonly<Record<string, unknown>>

/** A method's result: plain JSON. A `type` so that SDK result types accept it. */
export type Result = { [key: string]: unknown }

/**
 * Adds members to a result. In Node 20, a literal that begins with a spread and has further members gets a new hidden class
 * each time: ten times the work, freed only by a full collection.
 */
export function addTo(result: Result, more: Result): Result {
  return Object.assign({}, result, more)
}

/** Our handlers by method; bindings register them on their server. */
export type Handlers = Readonly<Record<string, Handler>>

/** Converts unexpected errors of handlers into internal errors, and reports their cause to the operator only. */
export function guardHandlers(handlers: Handlers, report: Report): Handlers {
  return Object.fromEntries(
    Object.entries(handlers).map(([method, handler]) => [method, guard(method, handler, report)]),
  )
}

function guard(method: string, handler: Handler, report: Report): Handler {
  return async (params, context) => {
    try {
      const result: unknown = await handler(params, context)
      if (isRecord(result)) return result
      throw new TypeError(`it returned ${showShort(result)}`)
    } catch (cause) {
      if (cause instanceof ProtocolError) throw cause
      report({
        code: "handler_failed",
        message: `the handler of "${method}" failed: expected a result, an object`,
        cause,
      })
      throw toInternalError(cause)
    }
  }
}

function toInternalError(cause: unknown): ProtocolError {
  return new ProtocolError(INTERNAL_ERROR, "internal error", { cause })
}

/**
 * A caller's mistake or our own fault, in JSON-RPC's shape. Both SDKs read these three fields.
 *
 * @example
 * ```ts
 * import { type Extension, ProtocolError } from "@x/mcp-adapter"
 *
 * const unknown = "there is no prompt of this name: send a name from prompts/list"
 * const text = { type: "text", text: "Summarise the board" }
 * // Pass it to a server: serveHttp(adapter, { extension })
 * export const extension: Extension = {
 *   methods: {
 *     "prompts/list": () => async () => ({ prompts: [{ name: "summary" }] }),
 *     "prompts/get": () => async (params) => {
 *       if (params["name"] !== "summary") throw new ProtocolError(-32602, unknown) // invalid params
 *       return { messages: [{ role: "user", content: text }] }
 *     },
 *   },
 * }
 * ```
 */
export class ProtocolError extends Error {
  /** Always `ProtocolError`. */
  override readonly name = "ProtocolError"
  /** The JSON-RPC code, from the MCP specification (2026-07-28, basic/index, error codes). */
  readonly code: number
  /** Structured details for the client. */
  readonly data?: unknown

  constructor(code: number, message: string, options: { readonly data?: unknown; readonly cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    if (options.data !== undefined) this.data = options.data
  }
}

/** -32601: the method does not exist or was never announced. */
export const METHOD_NOT_FOUND = -32601
/** -32002: no such resource, in revisions up to 2025-11-25. */
export const RESOURCE_NOT_FOUND = -32002
/** -32602: invalid parameters, including unknown tools and resources. */
export const INVALID_PARAMS = -32602
/** -32603: our own fault. */
export const INTERNAL_ERROR = -32603
/** -32021: the request needs a client capability that it did not declare (2026-07-28, basic/index). */
export const MISSING_CAPABILITY = -32021
