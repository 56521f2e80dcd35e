import { findOptionFault, type OptionRule } from "@x/tool-schemas/json"

/**
 * What a host of pages refuses.
 *
 * - `invalid_option`: an option is misspelt, or cannot be what it is.
 * - `unexpected`: anything else; see its cause.
 */
export type BridgeErrorCode = "invalid_option" | "unexpected"

/** A mistake of whoever uses the bridge. What pages do wrong is told to them, and counted. */
export class BridgeError extends Error {
  /** Always `BridgeError`. */
  override readonly name = "BridgeError"
  /** A stable code. */
  readonly code: BridgeErrorCode

  constructor(message: string, { code, ...options }: ErrorOptions & { readonly code: BridgeErrorCode }) {
    super(message, options)
    this.code = code
  }

  /** Makes one of whatever was thrown: itself, or `unexpected` with what was thrown as its cause. */
  static from(thrown: unknown): BridgeError {
    if (thrown instanceof BridgeError) return thrown
    const message = thrown instanceof Error ? thrown.message : String(thrown)
    return new BridgeError(message, { code: "unexpected", cause: thrown })
  }
}

/** Checks options by their rules, and throws a `BridgeError` that names what is wrong. */
export function checkOptions(options: object, rules: Readonly<Record<string, OptionRule>>): void {
  const fault = findOptionFault(options, rules)
  if (fault !== undefined) throw new BridgeError(fault, { code: "invalid_option" })
}
