import { isRecord } from "@x/base"
import fc from "fast-check"
import type { Keywords } from "../../src/json-schema.js"
import { anyInstance } from "./schema.js"

/** Generates values by a schema's simple keywords; the caller keeps those that fit. */
export function fitting(schema: unknown): fc.Arbitrary<unknown> {
  if (!isRecord(schema)) return anyInstance()
  const { anyOf, oneOf, allOf, nullable, ...rest } = schema
  const choices = [anyOf, oneOf].find(Array.isArray)
  if (nullable === true) return fc.oneof(fc.constant(null), fitting({ ...schema, nullable: false }))
  if (Array.isArray(allOf)) return fitting(Object.assign({}, ...allOf, rest))
  if (choices !== undefined) return fc.oneof(...choices.map((choice) => fitting({ ...rest, ...Object(choice) })))
  const { enum: values, const: constant } = rest
  if (Array.isArray(values) && values.length > 0) return fc.constantFrom<unknown[]>(...values)
  if (constant !== undefined) return fc.constant(constant)
  return ofType(rest)
}

function ofType(schema: Keywords): fc.Arbitrary<unknown> {
  const { type } = schema
  if (Array.isArray(type)) return fc.oneof(...type.map((one) => fitting({ ...schema, type: one })))
  if (type === "object") return anObject(schema)
  if (type === "array") return fc.array(fitting(schema["items"]), { maxLength: 3 })
  if (type === "string") return fc.constantFrom("", "a", "ab", "abc", "null", "1", "[]", "{}", '{"a":1}')
  if (type === "integer" || type === "number") return fc.integer({ min: -2, max: 5 })
  if (type === "boolean") return fc.boolean()
  return type === "null" ? fc.constant(null) : anyInstance()
}

function anObject(schema: Keywords): fc.Arbitrary<unknown> {
  const properties = isRecord(schema["properties"]) ? schema["properties"] : {}
  const required = Array.isArray(schema["required"]) ? schema["required"] : []
  const members = Object.entries(properties).map(([name, property]) => {
    const entry = fitting(property).map((value) => [[name, value] as const])
    return required.includes(name) ? entry : fc.oneof(fc.constant([]), entry)
  })
  return fc.tuple(...members).map((entries) => Object.fromEntries(entries.flat()))
}
