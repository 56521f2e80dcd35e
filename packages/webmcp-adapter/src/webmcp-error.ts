/**
 * What cannot be offered at all.
 *
 * - `invalid_option`: an option is misspelt, or cannot be what it is.
 * - `not_a_service`: what was given as a service does not look like one.
 * - `unexpected`: a function of the page that threw, or anything else; see its cause.
 */
export type WebMcpErrorCode = "invalid_option" | "not_a_service" | "unexpected"

/** A mistake of whoever offers a service. What the browser refuses is a status, see `WebMcpOffer.status`. */
export class WebMcpError extends Error {
  /** Always `WebMcpError`. */
  override readonly name = "WebMcpError"
  /** A stable code. */
  readonly code: WebMcpErrorCode

  constructor(code: WebMcpErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }

  /** Makes one of whatever was thrown: itself, what is like it, or `unexpected` with what was thrown as its cause. */
  static from(thrown: unknown): WebMcpError {
    if (thrown instanceof WebMcpError) return thrown
    const { code, message = String(thrown) }: { code?: unknown; message?: string } = Object(thrown)
    const known = code === "not_a_service" || code === "invalid_option" ? code : "unexpected"
    return new WebMcpError(known, message, { cause: thrown })
  }
}
