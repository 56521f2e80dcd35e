import type { Report } from "../runtime/diagnostic.js"
import type { Handler, Handlers } from "./handlers.js"
import { INTERNAL_ERROR, ProtocolError } from "./protocol-error.js"

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
