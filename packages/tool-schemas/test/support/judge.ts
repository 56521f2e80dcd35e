import { type SchemaDraft, Validator } from "@cfworker/json-schema"
import { isRecord } from "../../src/json/json-value.js"

/** Gives a verdict; none where the validator goes round in circles. */
export type Judge = (data: unknown) => boolean | undefined

/**
 * Judges values by a schema. Ajv 8.20 takes an empty list for one that contains something, beside `prefixItems`; so it is
 * not asked. Formats are not checked.
 */
export function toJudge(schema: object | boolean, draft: SchemaDraft = "2020-12"): Judge {
  // It writes into the schema it is given.
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

/** Says OpenAPI's `nullable` as JSON Schema does. */
function readNullable<Schema>(schema: Schema): Schema {
  return JSON.parse(JSON.stringify(schema), (_, value: unknown) => {
    if (!isRecord(value) || value["nullable"] !== true) return value
    const { nullable: _nullable, ...rest } = value
    return { anyOf: [rest, { type: "null" }] }
  })
}
