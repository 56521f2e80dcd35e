/**
 * Why a test cannot go on.
 *
 * - `timed_out`: what was waited for did not come.
 * - `unknown_tool`: no tool of that name is known.
 * - `unknown_state`: no state of that path or URI is listed.
 * - `unanswered`: an action asked the person something that the test has no answer for.
 * - `unasked`: an answer was given that nobody asked for.
 * - `left_open`: something was not closed, or not waited for.
 * - `closed`: the client is closed already.
 * - `invalid_option`: an option is misspelt, or cannot be what it is.
 * - `unexpected`: anything else; see its cause.
 */
export type TestingErrorCode =
  | "timed_out"
  | "unknown_tool"
  | "unknown_state"
  | "unanswered"
  | "unasked"
  | "left_open"
  | "closed"
  | "invalid_option"
  | "unexpected"

/** What a test did not expect; its message says what was found, and what could be done about it. */
export class TestingError extends Error {
  /** Always `TestingError`. */
  override readonly name = "TestingError"
  /** A stable code. */
  readonly code: TestingErrorCode

  constructor(code: TestingErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }

  /** Makes one of whatever was thrown: itself, or `unexpected` with what was thrown as its cause. */
  static from(thrown: unknown): TestingError {
    if (thrown instanceof TestingError) return thrown
    return new TestingError("unexpected", thrown instanceof Error ? thrown.message : String(thrown), { cause: thrown })
  }
}
