import { ServiceError } from "@x/agentic-service"
import { CodedError, findOptionFault, type OptionRules, toMessage } from "@x/base"

/**
 * The kinds of mistake in setting up or using an adapter.
 *
 * - `not_a_service`: the value given as a service does not have a service's shape.
 * - `invalid_option`: an option is misspelt or has an impossible value.
 * - `invalid_argument`: a handler received neither a request of its kind nor one that a framework wraps.
 * - `closed`: the adapter is already closed.
 * - `too_many_principals`: the limit of principals' views is reached.
 * - `listen_failed`: the server cannot listen on the port.
 * - `already_connected`, `unsupported_sdk`: the SDK v1 server is connected already, or is not a server of SDK v1.
 * - `callback_failed`: a function given as an option threw or returned an invalid value; the message names the option.
 * - `unexpected`: any other error; see its `cause`.
 */
export type AdapterErrorCode =
  | "not_a_service"
  | "invalid_option"
  | "invalid_argument"
  | "closed"
  | "too_many_principals"
  | "listen_failed"
  | "already_connected"
  | "unsupported_sdk"
  | "callback_failed"
  | "unexpected"

/**
 * An application's mistake in setting up or using an adapter. Clients never see it.
 *
 * @example
 * ```ts
 * import { createAgenticService } from "@x/agentic-service"
 * import { AdapterError, createMcpAdapter } from "@x/mcp-adapter"
 *
 * const adapter = createMcpAdapter(createAgenticService({ name: "door" }))
 * adapter.close()
 * await adapter.list().catch((error: unknown) => {
 *   if (error instanceof AdapterError) console.log(error.code) // closed
 * })
 * ```
 */
export class AdapterError extends CodedError<AdapterErrorCode> {
  /** Always `AdapterError`. */
  override readonly name = "AdapterError"

  /**
   * Converts any thrown value, so that callers handle one class of error.
   *
   * - An `AdapterError` is returned as is.
   * - A `ServiceError` with the code `not_a_service` keeps its code.
   * - A `RangeError` becomes `invalid_option`.
   * - Anything else becomes `unexpected`. Every converted error has the thrown value as its `cause`.
   */
  static from(thrown: unknown): AdapterError {
    if (thrown instanceof AdapterError) return thrown
    const message = toMessage(thrown)
    return new AdapterError(message, { code: toCode(thrown), cause: thrown })
  }
}

function toCode(thrown: unknown): AdapterErrorCode {
  if (thrown instanceof ServiceError && thrown.code === "not_a_service") return "not_a_service"
  return thrown instanceof RangeError ? "invalid_option" : "unexpected"
}

/**
 * Rejects misspelt or impossible options as soon as they are given.
 *
 * @throws AdapterError `invalid_option`, which names the option, the value found and the values expected.
 * @example
 * ```ts
 * import { checkOptions } from "@x/mcp-adapter/binding"
 *
 * const rules = { port: { from: 0, to: 65_535, whole: true }, exit: "flag" } as const
 * checkOptions({ port: 3000 }, rules)
 * try {
 *   checkOptions({ port: "3000" }, rules)
 * } catch (error) {
 *   console.log(String(error)) // AdapterError: option "port" is "3000": expected a whole number from 0 to 65535
 * }
 * ```
 */
export function checkOptions(options: object, rules: OptionRules): void {
  const fault = findOptionFault(options, rules)
  if (fault !== undefined) throw new AdapterError(fault, { code: "invalid_option" })
}
