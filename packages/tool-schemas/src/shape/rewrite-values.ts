import equal from "fast-deep-equal"
import type { Keywords } from "../keywords/keywords.js"
import type { Site } from "./site.js"

/** Says `const` as an `enum` of one, and gives a type to what names its values, as the profile wants it. */
export function rewriteValues(schema: Keywords, site: Site): Keywords {
  const { profile } = site
  if (profile.values === "any") return schema
  const { const: constant, ...rest } = schema
  const isConstant = Object.hasOwn(schema, "const")
  if (isConstant) site.note("rewritten", "const")
  const values = isConstant ? [constant] : schema["enum"]
  // Both say what the value is; where they stand side by side, the narrower one tells, or nothing is left.
  const said = isConstant
    ? { ...rest, enum: values, ...(isAmong(constant, schema["enum"]) ? {} : { not: {} }) }
    : schema
  if (!Array.isArray(values) || schema["type"] !== undefined) return said
  return { ...said, type: typesOf(values) }
}

function isAmong(value: unknown, values: unknown): boolean {
  return !Array.isArray(values) || values.some((each) => equal(each, value))
}

/** The types of some values, as `type` names them: one, or a list. */
function typesOf(values: readonly unknown[]): unknown {
  const types = [...new Set(values.map(typeOf))]
  return types.length === 1 ? types[0] : types
}

/** The type of a JSON value, as `type` names it. */
export function typeOf(value: unknown): string {
  if (value === null) return "null"
  if (Array.isArray(value)) return "array"
  return typeof value
}
