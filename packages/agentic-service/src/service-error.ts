import { memberOf } from "@x/tool-schemas/json"

/**
 * The codes this package answers with. Authors add their own: any string is a code.
 *
 * - `invalid_input`: the input does not fit the action's schema; nothing ran.
 * - `invalid_output`: the action ran, and what it returned does not fit its `output`.
 * - `changed`: another thing has taken the place of the one that was called, or asked about; nothing ran.
 * - `not_available`: there is no such action, or its condition does not hold now; nothing ran.
 * - `action_failed`: the action threw, or answered a failure without a code of its own.
 * - `confirmation_unavailable`: the action wants to ask a person first, and nobody can be asked; nothing ran.
 * - `aborted`: the caller lost interest before the action ran, or the action gave up because of it.
 * - `invalid_definition`: a member is declared in a way that cannot be served.
 * - `silent`: a member's source or condition has emitted nothing for a while; the member is not there until it does.
 * - `not_a_service`: something was given as a service and does not look like one.
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

/** What a {@link ServiceError} may carry beside its message. */
export interface ServiceErrorOptions {
  /** A stable code, one of {@link ServiceErrorCode} or the author's own. Default `"action_failed"`. */
  readonly code?: ServiceErrorCode | (string & NonNullable<unknown>)
  /** What to do about it. */
  readonly recovery?: string
  /** What led here; for logs, never shown. */
  readonly cause?: unknown
}

// Registered, so that two copies of this package in one application know each other's errors.
const isOurs: symbol = Symbol.for("@x/agentic-service/error")

/**
 * An error whose words are meant for whoever called. Thrown inside an action it becomes that action's
 * failure, with its message; anything else that is thrown is only logged.
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
  /** What to do about it. */
  readonly recovery: string | undefined

  /** Makes an error with words for the caller: lower case, what was found, what was expected. */
  constructor(message: string, options: ServiceErrorOptions = {}) {
    super(message, "cause" in options ? { cause: options.cause } : undefined)
    this.name = "ServiceError"
    Object.defineProperty(this, isOurs, { value: true })
    this.code = options.code ?? "action_failed"
    this.recovery = options.recovery
  }

  /**
   * Makes an error for the caller of whatever was thrown:
   *
   * - a `ServiceError`, of any copy of this package, is itself;
   * - an error that is named `AbortError` becomes `aborted`;
   * - anything else becomes `action_failed`, with words of ours, because its own are for logs only.
   *
   * What was thrown is the `cause`.
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
