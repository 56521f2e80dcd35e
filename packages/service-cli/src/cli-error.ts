import { findOptionFault, type OptionRules } from "@x/tool-schemas/json"

/**
 * What a {@link CliError} is about.
 *
 * - `invalid_usage`: the command line, or what was piped in, is not what is expected; the exit code is 2.
 * - `invalid_definition`: an agent is defined, or a service is to be run, in a way that cannot be.
 * - `invalid_config`: the configuration of an agent is not what is expected; the exit code is 2.
 * - `unavailable`: something that is needed cannot be had, such as a port or a terminal; the exit code is 1.
 */
export type CliErrorCode = "invalid_usage" | "invalid_definition" | "invalid_config" | "unavailable"

/** Something the person who typed the command, or wrote the agent, can put right; its message is one line for them. */
export class CliError extends Error {
  /** What it is about. */
  readonly code: CliErrorCode

  /** Makes an error with words for a person: lower case, what was found, what was expected. */
  constructor(code: CliErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = "CliError"
    this.code = code
  }

  /**
   * Makes an error of the command of whatever was thrown; one that is that already is handed back.
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
    return new CliError("unavailable", thrown instanceof Error ? thrown.message : String(thrown), { cause: thrown })
  }
}

/**
 * Refuses options that are none, or cannot be, also from code without types.
 *
 * @param owner - Whose options they are, for the message.
 * @throws CliError `invalid_definition`.
 */
export function expectOptions(owner: string, options: unknown, rules: OptionRules): void {
  const fault = findOptionFault(options, rules)
  if (fault !== undefined) throw new CliError("invalid_definition", `${owner}: ${fault}`)
}

/** Says what is wrong with how the command was used. */
export function invalidUsage(message: string, cause?: unknown): CliError {
  return new CliError("invalid_usage", message, cause === undefined ? {} : { cause })
}
