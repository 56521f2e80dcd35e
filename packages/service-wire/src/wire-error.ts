import { CodedError, toMessage } from "@x/base"

/**
 * The codes of a {@link WireError}.
 *
 * - `invalid_option`: an option is misspelt or has an invalid value.
 * - `malformed`: the other side sent something that cannot be parsed.
 * - `limit`: the other side exceeded a limit.
 * - `unexpected`: anything else; see the error's cause.
 */
export type WireErrorCode = "invalid_option" | "malformed" | "limit" | "unexpected"

/**
 * A mistake in using a wire. Failures of a connection or a call are data: see `WireClosed` and the outcomes of calls.
 *
 * @example
 * ```ts
 * import { mirrorService, WireError } from "@x/service-wire"
 *
 * try {
 *   mirrorService(undefined, { graceMs: -1 })
 * } catch (error) {
 *   if (error instanceof WireError) console.log(error.message) // option "graceMs" is -1: expected a number from 0
 * }
 * ```
 */
export class WireError extends CodedError<WireErrorCode> {
  /** Always `WireError`. */
  override readonly name = "WireError"

  /** Returns the thrown `WireError` itself, or wraps anything else as `unexpected` with the thrown value as its cause. */
  static from(thrown: unknown): WireError {
    if (thrown instanceof WireError) return thrown
    const message = toMessage(thrown)
    return new WireError(message, { code: "unexpected", cause: thrown })
  }
}

/** Creates the error for input of the other side that cannot be parsed. */
export function malformed(message: string): WireError {
  return new WireError(message, { code: "malformed" })
}
