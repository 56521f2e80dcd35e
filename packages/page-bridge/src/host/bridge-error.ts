import { CodedError, findOptionFault, type OptionRule, toMessage } from "@x/base"

/**
 * The codes of a {@link BridgeError}.
 *
 * - `invalid_option`: an option is misspelt or has an invalid value.
 * - `unexpected`: anything else; see the error's cause.
 */
export type BridgeErrorCode = "invalid_option" | "unexpected"

/**
 * A mistake in using the bridge. Mistakes of pages are reported to them instead.
 *
 * @example
 * ```ts
 * import { BridgeError, createPageHost } from "@x/page-bridge/host"
 *
 * try {
 *   createPageHost({ reloadMs: -1 })
 * } catch (error) {
 *   if (error instanceof BridgeError) console.log(error.message) // option "reloadMs" is -1: expected a number from 0
 * }
 * ```
 */
export class BridgeError extends CodedError<BridgeErrorCode> {
  /** Always `BridgeError`. */
  override readonly name = "BridgeError"

  /** Returns the thrown `BridgeError` itself, or wraps anything else as `unexpected` with the thrown value as its cause. */
  static from(thrown: unknown): BridgeError {
    if (thrown instanceof BridgeError) return thrown
    const message = toMessage(thrown)
    return new BridgeError(message, { code: "unexpected", cause: thrown })
  }
}

/** Checks options by their rules. Throws a `BridgeError` that names the first fault. */
export function checkOptions(options: object, rules: Readonly<Record<string, OptionRule>>): void {
  const fault = findOptionFault(options, rules)
  if (fault !== undefined) throw new BridgeError(fault, { code: "invalid_option" })
}
