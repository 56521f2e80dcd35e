import { AdapterError } from "../../adapter-error.js"
import { toCallbackError } from "../../runtime/callback.js"
import type { Report } from "../../runtime/diagnostic.js"
import type { Authenticate } from "./auth.js"
import { checkAnswer } from "./auth-answer.js"
import { type Answer, pathOf, type RequestHead, refuse, WELL_KNOWN } from "./exchange.js"
import { toPreflight } from "./guard.js"

/** Whether a request is for public OAuth metadata. */
export function isWellKnown(head: RequestHead): boolean {
  return pathOf(head).startsWith(WELL_KNOWN)
}

/** Answers with public OAuth metadata, readable from any origin. Unknown paths are a 404, never a 401. */
export function readDocument(head: RequestHead, authenticate: Authenticate | undefined, report: Report): Answer {
  const shared = { "access-control-allow-origin": "*" }
  try {
    const found = authenticate?.documents?.(head)
    if (found === undefined) return { status: 404, headers: shared }
    const answer = head.method === "OPTIONS" ? toPreflight("*") : checkAnswer(DOCUMENTS, found)
    return { ...answer, headers: { ...answer.headers, ...shared } }
  } catch (cause) {
    return tellFault(report, toCallbackError(DOCUMENTS, cause))
  }
}

const DOCUMENTS = "authenticate.documents"

/** Reports why a request failed, naming the application's function if one is at fault, and returns the 500. */
export function tellFault(report: Report, cause: unknown): Answer {
  const named = cause instanceof AdapterError && cause.code === "callback_failed"
  report({
    code: "handler_failed",
    message: `a request was not served: ${named ? cause.message : "see the cause"}`,
    cause: named ? (cause.cause ?? cause) : cause,
  })
  return FAULT
}

const FAULT = refuse(500, { code: -32603, message: "Internal server error" })
