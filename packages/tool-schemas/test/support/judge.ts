import { type SchemaDraft, Validator } from "@cfworker/json-schema"
import { isRecord } from "@x/base"

/** Returns a verdict, or `undefined` when the validator loops. */
export type Judge = (data: unknown) => boolean | undefined

/**
 * Creates a judge of values by a schema. Not Ajv, because version 8.20 treats an empty list as containing something, beside
 * `prefixItems`. Formats are not checked.
 */
export function toJudge(schema: object | boolean, draft: SchemaDraft = "2020-12"): Judge {
  // The validator modifies its schema.
  const validator = new Validator(readNullable(structuredClone(schema)), draft)
  return (data) => {
    try {
      return validator.validate(data).valid
    } catch (error) {
      if (error instanceof RangeError) return undefined
      throw error
    }
  }
}

/** Converts OpenAPI's `nullable` to JSON Schema. */
function readNullable<Schema>(schema: Schema): Schema {
  return JSON.parse(JSON.stringify(schema), (_, value: unknown) => {
    if (!isRecord(value) || value["nullable"] !== true) return value
    const { nullable: _nullable, ...rest } = value
    return { anyOf: [rest, { type: "null" }] }
  })
}
