import { CodedError, toMessage } from "@x/base"

/**
 * The codes of a {@link LiveViewError}.
 *
 * - `invalid_option`: an option is misspelt or has an invalid value.
 * - `invalid_recording`: the text is not a recording, or has a newer version.
 * - `not_built`: the page is missing; the package's build creates it.
 * - `unexpected`: anything else; see the error's cause.
 */
export type LiveViewErrorCode = "invalid_option" | "invalid_recording" | "not_built" | "unexpected"

/** A mistake in using a live view or a recording. */
export class LiveViewError extends CodedError<LiveViewErrorCode> {
  /** Always `LiveViewError`. */
  override readonly name = "LiveViewError"

  /** Returns the thrown `LiveViewError` itself, or wraps anything else as `unexpected` with the thrown value as its cause. */
  static from(thrown: unknown): LiveViewError {
    if (thrown instanceof LiveViewError) return thrown
    const message = toMessage(thrown)
    return new LiveViewError(message, { code: "unexpected", cause: thrown })
  }
}
