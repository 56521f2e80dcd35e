/**
 * What went wrong with a foreign server.
 *
 * - `invalid_option`: an option that there is not, or that cannot be.
 * - `unreachable`: the server cannot be reached now.
 * - `unauthorized`: the server wants a sign-in; `remedy` says how.
 * - `closed`: the upstream was closed.
 * - `invalid_config`: a gateway's configuration cannot be used.
 */
export type UpstreamErrorCode = "invalid_option" | "unreachable" | "unauthorized" | "closed" | "invalid_config"

/** An error of this package: lower case, what was found, what was expected, what to do. Never holds a secret. */
export class UpstreamError extends Error {
  /** What kind of error it is. */
  readonly code: UpstreamErrorCode
  /** What to do about it, where that is known. */
  readonly remedy?: string

  /** Makes an error. */
  constructor(
    code: UpstreamErrorCode,
    message: string,
    options: { readonly cause?: unknown; readonly remedy?: string } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = "UpstreamError"
    this.code = code
    if (options.remedy !== undefined) this.remedy = options.remedy
  }

  /** Makes an error of whatever was thrown: one of ours is itself, anything else says that the server cannot be reached. */
  static from(thrown: unknown): UpstreamError {
    if (thrown instanceof UpstreamError) return thrown
    return new UpstreamError("unreachable", thrown instanceof Error ? thrown.message : String(thrown), {
      cause: thrown,
    })
  }
}
