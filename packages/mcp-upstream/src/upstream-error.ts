import { CodedError, type CodedErrorOptions, toMessage } from "@x/base"

/**
 * The failures of foreign servers.
 *
 * - `invalid_option`: an option is unknown or invalid.
 * - `unreachable`: the server cannot be reached now.
 * - `unauthorized`: the server requires a sign-in; `remedy` says how.
 * - `closed`: the upstream is closed.
 * - `invalid_config`: a gateway's configuration is invalid.
 */
export type UpstreamErrorCode = "invalid_option" | "unreachable" | "unauthorized" | "closed" | "invalid_config"

/**
 * An error of this package. Its message says in lower case what was found, what was expected and what to do, without secrets.
 *
 * @example
 * ```ts
 * import { UpstreamError } from "@x/mcp-upstream"
 * import { readGatewayConfig } from "@x/mcp-upstream/node"
 *
 * await readGatewayConfig("missing.json").catch((error: unknown) => {
 *   if (error instanceof UpstreamError) console.log(error.code) // invalid_config
 * })
 * ```
 */
export class UpstreamError extends CodedError<UpstreamErrorCode> {
  /** Always `UpstreamError`. */
  override readonly name = "UpstreamError"
  /** The fix, such as signing in; absent if none is known. */
  readonly remedy?: string

  /** Creates an error; `remedy` says what to do about it. */
  constructor(
    message: string,
    { remedy, ...options }: CodedErrorOptions<UpstreamErrorCode> & { readonly remedy?: string },
  ) {
    super(message, options)
    if (remedy !== undefined) this.remedy = remedy
  }

  /** Returns an {@link UpstreamError} as is, and wraps any other thrown value as `unreachable`. */
  static from(thrown: unknown): UpstreamError {
    if (thrown instanceof UpstreamError) return thrown
    return new UpstreamError(toMessage(thrown), { code: "unreachable", cause: thrown })
  }
}
