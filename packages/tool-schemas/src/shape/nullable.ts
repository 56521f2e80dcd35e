import type { Keywords } from "../keywords/keywords.js"
import { isSource } from "../schema-source.js"

/** Whether a published schema takes `null`, as far as it says so itself. */
export function acceptsNull(schema: Keywords): boolean {
  const { type, anyOf } = schema
  if (Array.isArray(anyOf) && anyOf.some((each) => isSource(each) && acceptsNull(each))) return true
  return [type].flat().includes("null") || schema["nullable"] === true
}

/** The same schema, which takes `null` as well. */
export function toNullable(schema: Keywords): Keywords {
  if (acceptsNull(schema)) return schema
  const { type, enum: values, anyOf } = schema
  if (Array.isArray(anyOf)) return { ...schema, anyOf: [...anyOf, { type: "null" }] }
  return {
    ...schema,
    type: [type, "null"].flat(),
    ...(Array.isArray(values) && { enum: values.includes(null) ? values : [...values, null] }),
  }
}
