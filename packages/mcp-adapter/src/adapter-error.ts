import { ServiceError } from "@x/agentic-service"
import { findOptionFault, type OptionRules } from "@x/tool-schemas/json"

/**
 * What a mistake in setting up or using an adapter is called.
 *
 * - `not_a_service`: what was given as a service does not look like one.
 * - `invalid_option`: an option is misspelt, or cannot be what it is.
 * - `closed`: the adapter is closed already.
 * - `too_many_principals`: all places for principals' views are in use.
 * - `listen_failed`: the port cannot be taken.
 * - `already_connected`, `unsupported_sdk`: the server of SDK v1 cannot be bound to any more, or is none.
 * - `callback_failed`: a function that was given as an option threw, or gave what it may not; the message names it.
 * - `unexpected`: anything else; see its cause.
 */
export type AdapterErrorCode =
  | "not_a_service"
  | "invalid_option"
  | "closed"
  | "too_many_principals"
  | "listen_failed"
  | "already_connected"
  | "unsupported_sdk"
  | "callback_failed"
  | "unexpected"

/** A mistake in setting up or using an adapter, made by the application; never sent to a client. */
export class AdapterError extends Error {
  /** Always `AdapterError`. */
  override readonly name = "AdapterError"
  /** A stable code. */
  readonly code: AdapterErrorCode

  constructor(code: AdapterErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }

  /**
   * Makes one of whatever was thrown, so that there is one class to handle:
   *
   * 1. An `AdapterError` stays what it is.
   * 2. A `ServiceError` of the code `not_a_service` keeps its code.
   * 3. A `RangeError` is an option that cannot be.
   * 4. Anything else is `unexpected`. All but the first keep what was thrown as their cause.
   */
  static from(thrown: unknown): AdapterError {
    if (thrown instanceof AdapterError) return thrown
    const message = thrown instanceof Error ? thrown.message : String(thrown)
    return new AdapterError(toCode(thrown), message, { cause: thrown })
  }
}

function toCode(thrown: unknown): AdapterErrorCode {
  if (thrown instanceof ServiceError && thrown.code === "not_a_service") return "not_a_service"
  return thrown instanceof RangeError ? "invalid_option" : "unexpected"
}

/**
 * Refuses options that are misspelt or impossible, when they are given and not when they would be used.
 *
 * @throws AdapterError `invalid_option`, which names the option, what was found and what was expected.
 */
export function checkOptions(options: object, rules: OptionRules): void {
  const fault = findOptionFault(options, rules)
  if (fault !== undefined) throw new AdapterError("invalid_option", fault)
}
