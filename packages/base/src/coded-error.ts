/** The options of a {@link CodedError}. */
export interface CodedErrorOptions<Code extends string> {
  /** A stable code for programs. */
  readonly code: Code
  /** The thrown value that caused this error, if any. */
  readonly cause?: unknown
}

/**
 * The base of the packages' error classes: a message for people, a stable code for programs.
 *
 * @example
 * ```ts
 * import { CodedError } from "@x/base"
 *
 * class StoreError extends CodedError<"full" | "closed"> {
 *   override readonly name = "StoreError"
 * }
 *
 * console.log(new StoreError("the store is full: delete something", { code: "full" }).code) // full
 * ```
 */
export class CodedError<Code extends string> extends Error {
  /** A stable code for programs. */
  readonly code: Code

  /** Creates an error whose message says in lower case what was found, what was expected and what to do. */
  constructor(message: string, { code, cause }: CodedErrorOptions<Code>) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
  }
}
