/**
 * What a mistake with a live view or a recording is called.
 *
 * - `invalid_option`: an option is misspelt, or cannot be what it is.
 * - `invalid_recording`: what was given as a recording is none, or of a later version.
 * - `not_built`: the page is not there; the package's own build makes it.
 * - `unexpected`: anything else; see its cause.
 */
export type LiveViewErrorCode = "invalid_option" | "invalid_recording" | "not_built" | "unexpected"

/** A mistake with a live view or a recording. */
export class LiveViewError extends Error {
  /** Always `LiveViewError`. */
  override readonly name = "LiveViewError"
  /** A stable code. */
  readonly code: LiveViewErrorCode

  constructor(code: LiveViewErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }

  /** Makes one of whatever was thrown: a `LiveViewError` stays what it is, anything else is the cause of an `unexpected` one. */
  static from(thrown: unknown): LiveViewError {
    if (thrown instanceof LiveViewError) return thrown
    const message = thrown instanceof Error ? thrown.message : String(thrown)
    return new LiveViewError("unexpected", message, { cause: thrown })
  }
}
