import { findOptionFault, type OptionRules } from "@x/tool-schemas/json"

/** What a mistake in setting up an adapter is called. */
export type AdapterErrorCode =
  | "closed"
  | "too_many_principals"
  | "invalid_option"
  | "listen_failed"
  | "already_connected"
  | "unsupported_sdk"

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
