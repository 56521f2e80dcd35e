import { CodedError } from "@x/base"

/**
 * The codes of a {@link WebMcpError}.
 *
 * - `invalid_option`: an option is misspelt or has an invalid value.
 * - `not_a_service`: the given object is not a service.
 * - `unexpected`: a function of the page threw, or anything else; see the error's cause.
 */
export type WebMcpErrorCode = "invalid_option" | "not_a_service" | "unexpected"

/** A mistake in offering a service. Rejections of the browser are a status; see `WebMcpOffer.status`. */
export class WebMcpError extends CodedError<WebMcpErrorCode> {
  /** Always `WebMcpError`. */
  override readonly name = "WebMcpError"

  /**
   * Returns the thrown `WebMcpError` itself, converts similar errors, or wraps anything else as `unexpected` with the thrown
   * value as its cause.
   */
  static from(thrown: unknown): WebMcpError {
    if (thrown instanceof WebMcpError) return thrown
    const { code, message = String(thrown) }: { code?: unknown; message?: string } = Object(thrown)
    const known = code === "not_a_service" || code === "invalid_option" ? code : "unexpected"
    return new WebMcpError(message, { code: known, cause: thrown })
  }
}
