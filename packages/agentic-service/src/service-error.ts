/**
 * The codes this package answers with. Authors add their own: any string is a code.
 *
 * - `invalid_input`: the input does not fit the action's schema; nothing ran.
 * - `invalid_output`: the action ran, and what it returned does not fit its `output`.
 * - `not_available`: there is no such action, or its condition does not hold now; nothing ran.
 * - `action_failed`: the action threw, or answered a failure without a code of its own.
 * - `confirmation_unavailable`: the action wants to ask a person first, and nobody can be asked; nothing ran.
 * - `aborted`: the caller lost interest before the action ran, or the action gave up because of it.
 * - `invalid_definition`: a member is declared in a way that cannot be served.
 * - `not_a_service`: something was given as a service and does not look like one.
 */
export type ServiceErrorCode =
  | "invalid_input"
  | "invalid_output"
  | "not_available"
  | "action_failed"
  | "confirmation_unavailable"
  | "aborted"
  | "invalid_definition"
  | "not_a_service"

/** What a {@link ServiceError} may carry beside its message. */
export interface ServiceErrorOptions {
  /** A stable code, one of {@link ServiceErrorCode} or the author's own. Default `"action_failed"`. */
  readonly code?: string
  /** What to do about it. */
  readonly recovery?: string
  /** What led here; for logs, never shown. */
  readonly cause?: unknown
}

/**
 * An error whose words are meant for whoever called. Thrown inside an action it becomes that action's
 * failure, with its message; anything else that is thrown is only logged.
 */
export class ServiceError extends Error {
  /** A stable code, one of {@link ServiceErrorCode} or the author's own. */
  readonly code: string
  /** What to do about it. */
  readonly recovery: string | undefined

  /** Makes an error with words for the caller: lower case, what was found, what was expected. */
  constructor(message: string, options: ServiceErrorOptions = {}) {
    super(message, "cause" in options ? { cause: options.cause } : undefined)
    this.name = "ServiceError"
    this.code = options.code ?? "action_failed"
    this.recovery = options.recovery
  }
}
