/** Why a schema cannot be published. */
export type SchemaErrorCode = "not_a_schema" | "network_ref" | "dangling_ref" | "too_deep" | "too_large" | "unreadable"

/** A schema that cannot be published; what has it is left out and the rest served. */
export class SchemaError extends Error {
  /** Always `SchemaError`, also where code is minified. */
  override readonly name = "SchemaError"
  /** What kind of thing is wrong. */
  readonly code: SchemaErrorCode

  /** Makes an error with words for the author: lower case, what was found, what was expected. */
  constructor(message: string, { code, cause }: SchemaErrorOptions) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
  }
}

/** What a {@link SchemaError} says beside its message. */
export interface SchemaErrorOptions {
  /** What kind of thing is wrong. */
  readonly code: SchemaErrorCode
  /** What was thrown while the schema was read. */
  readonly cause?: unknown
}
