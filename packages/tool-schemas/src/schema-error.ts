import { CodedError } from "@x/base"

/** Reasons why a schema cannot be published. */
export type SchemaErrorCode = "not_a_schema" | "network_ref" | "dangling_ref" | "too_deep" | "too_large" | "unreadable"

/** The error of an unpublishable schema. Its member is left out, while all others are served. */
export class SchemaError extends CodedError<SchemaErrorCode> {
  /** Always `SchemaError`. */
  override readonly name = "SchemaError"
}
