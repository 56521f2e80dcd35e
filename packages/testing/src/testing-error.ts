import { CodedError, toMessage } from "@x/base"

/**
 * The codes of a {@link TestingError}.
 *
 * - `timed_out`: the awaited event did not occur.
 * - `unknown_tool`: no tool has that name.
 * - `unknown_state`: no listed state has that path or URI.
 * - `unanswered`: an action asked the person a question without an answer in the test.
 * - `unasked`: the test has an answer without a question.
 * - `left_open`: the test did not close or await something.
 * - `closed`: the client is already closed.
 * - `invalid_option`: an option is misspelt or has an invalid value.
 * - `unexpected`: anything else; see the error's cause.
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

/** A fault of a test. The message names the finding and the fix. */
export class TestingError extends CodedError<TestingErrorCode> {
  /** Always `TestingError`. */
  override readonly name = "TestingError"

  /** Returns the thrown `TestingError` itself, or wraps anything else as `unexpected` with the thrown value as its cause. */
  static from(thrown: unknown): TestingError {
    if (thrown instanceof TestingError) return thrown
    return new TestingError(toMessage(thrown), { code: "unexpected", cause: thrown })
  }
}
