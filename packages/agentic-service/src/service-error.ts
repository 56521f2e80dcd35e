import { memberOf } from "@x/base"

/**
 * The codes of this package. Authors add their own: any string is a code.
 *
 * - `invalid_input`: the input does not match the action's schema; nothing ran.
 * - `invalid_output`: the action ran, and its result does not match its `output`.
 * - `changed`: the called or confirmed instance was replaced; nothing ran.
 * - `not_available`: no such action exists, or its condition does not hold now; nothing ran.
 * - `action_failed`: the action threw, or returned a failure without its own code.
 * - `confirmation_unavailable`: the action needs a person's answer, and no person can be asked; nothing ran.
 * - `aborted`: the caller cancelled before the action ran, or the action stopped because of it.
 * - `invalid_definition`: a member is declared in a way that cannot be served.
 * - `silent`: a member's source or condition has emitted nothing for a while; the member is absent until it does.
 * - `not_a_service`: a value given as a service does not have a service's shape.
 */
export type ServiceErrorCode =
  | "invalid_input"
  | "invalid_output"
  | "changed"
  | "not_available"
  | "action_failed"
  | "confirmation_unavailable"
  | "aborted"
  | "invalid_definition"
  | "silent"
  | "not_a_service"

/** Options of a {@link ServiceError}. */
export interface ServiceErrorOptions {
  /** A stable code, one of {@link ServiceErrorCode} or the author's own. Default `"action_failed"`. */
  readonly code?: ServiceErrorCode | (string & NonNullable<unknown>)
  /** The caller's next step. */
  readonly recovery?: string
  /** The cause; for logs, never shown. */
  readonly cause?: unknown
}

// A registered symbol, so that two copies of this package in one application recognise each other's errors.
const isOurs: symbol = Symbol.for("@x/agentic-service/error")

/**
 * An error whose message is for the caller. Thrown inside an action, it becomes that action's failure; any other thrown value
 * is only logged.
 *
 * @example
 * ```ts
 * import { action, ServiceError } from "@x/agentic-service"
 *
 * function publish(text: string): void {
 *   if (text.length > 20) throw new ServiceError("the page is full", { code: "too_long", recovery: "write less" })
 * }
 *
 * export const write = action({
 *   description: "Publish a text",
 *   input: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
 *   execute: ({ text }) => publish(text),
 * })
 * ```
 */
export class ServiceError extends Error {
  /** A stable code, one of {@link ServiceErrorCode} or the author's own. */
  readonly code: ServiceErrorCode | (string & NonNullable<unknown>)
  /** The caller's next step. */
  readonly recovery: string | undefined

  /** Creates an error with a message for the caller: lower case, with the value found and the one expected. */
  constructor(message: string, options: ServiceErrorOptions = {}) {
    super(message, "cause" in options ? { cause: options.cause } : undefined)
    this.name = "ServiceError"
    Object.defineProperty(this, isOurs, { value: true })
    this.code = options.code ?? "action_failed"
    this.recovery = options.recovery
  }

  /**
   * Converts any thrown value to an error for the caller:
   *
   * - A `ServiceError`, of any copy of this package, is returned unchanged.
   * - An error named `AbortError` becomes `aborted`.
   * - Anything else becomes `action_failed` with our message, because its own is for logs only.
   *
   * The thrown value is the `cause`.
   */
  static from(thrown: unknown): ServiceError {
    if (isServiceError(thrown)) return thrown
    return memberOf(thrown, "name") === "AbortError"
      ? new ServiceError("the action was aborted", { code: "aborted", cause: thrown })
      : new ServiceError("the action failed", { cause: thrown })
  }
}

function isServiceError(thrown: unknown): thrown is ServiceError {
  return memberOf(thrown, isOurs) === true
}
