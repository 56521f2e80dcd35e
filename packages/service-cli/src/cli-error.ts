import { CodedError, findOptionFault, type OptionRules, toMessage } from "@x/base"

/**
 * The codes of a {@link CliError}.
 *
 * - `invalid_usage`: the command line or standard input is invalid; the exit code is 2.
 * - `invalid_definition`: the definition of an agent, or an option of `runService`, is invalid.
 * - `invalid_config`: the configuration of an agent is invalid; the exit code is 2.
 * - `unavailable`: a necessary resource is unavailable, such as a port or a terminal; the exit code is 1.
 */
export type CliErrorCode = "invalid_usage" | "invalid_definition" | "invalid_config" | "unavailable"

/** An error that the command's user or the agent's author can fix. Its message is one line. */
export class CliError extends CodedError<CliErrorCode> {
  /** Always `CliError`. */
  override readonly name = "CliError"

  /**
   * Returns the thrown `CliError` itself, or wraps anything else as `unavailable` with the thrown value as its cause.
   *
   * @example
   * ```ts
   * import { CliError } from "@x/service-cli"
   *
   * console.log(CliError.from(new Error("port 80 is taken")).code) // unavailable
   * ```
   */
  static from(thrown: unknown): CliError {
    if (thrown instanceof CliError) return thrown
    return new CliError(toMessage(thrown), { code: "unavailable", cause: thrown })
  }
}

/**
 * Checks options by their rules, including those of untyped code.
 *
 * @param owner - The options' owner, for the message.
 * @throws CliError `invalid_definition`.
 */
export function expectOptions(owner: string, options: unknown, rules: OptionRules): void {
  const fault = findOptionFault(options, rules)
  if (fault !== undefined) throw new CliError(`${owner}: ${fault}`, { code: "invalid_definition" })
}

/** Creates an error about the usage of the command. */
export function invalidUsage(message: string, cause?: unknown): CliError {
  return new CliError(message, { code: "invalid_usage", ...(cause === undefined ? {} : { cause }) })
}
