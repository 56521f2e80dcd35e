/**
 * What a {@link CliError} is about.
 *
 * - `invalid_usage`: the command line, or what was piped in, is not what is expected; the exit code is 2.
 * - `invalid_definition`: an agent is defined in a way that cannot be run.
 * - `unavailable`: something that is needed cannot be had, such as a port or a terminal; the exit code is 1.
 */
export type CliErrorCode = "invalid_usage" | "invalid_definition" | "unavailable"

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
}

/** Says what is wrong with how the command was used. */
export function invalidUsage(message: string, cause?: unknown): CliError {
  return new CliError("invalid_usage", message, cause === undefined ? {} : { cause })
}
