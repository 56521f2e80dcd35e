import { isRecord } from "./is-record.js"

/** What a value can be, in JSON Schema's words. */
export type ValueKind = (typeof KINDS)[number]

const KINDS = ["string", "number", "integer", "boolean", "null", "object", "array"] as const

/**
 * What a schema lets a value be, as far as its `type`, `enum` and `const` say, and those of its alternatives; everything
 * where they say nothing.
 */
export function toKinds(schema: Readonly<Record<string, unknown>>): readonly ValueKind[] {
  const { type, enum: values, const: only, anyOf, oneOf } = schema
  const named = KINDS.filter((kind) => type === kind || (Array.isArray(type) && type.includes(kind)))
  if (named.length > 0) return named
  if (Array.isArray(values)) return KINDS.filter((kind) => values.some((value) => isKind(value, kind)))
  if (only !== undefined) return KINDS.filter((kind) => isKind(only, kind))
  const alternatives = [anyOf ?? oneOf].flat().filter(isRecord).flatMap(toKinds)
  return alternatives.length === 0 ? KINDS : KINDS.filter((kind) => alternatives.includes(kind))
}

/** Whether a value is of a kind; a whole number is both an integer and a number. */
export function isKind(value: unknown, kind: ValueKind): boolean {
  switch (kind) {
    case "null":
      return value === null
    case "array":
      return Array.isArray(value)
    case "integer":
      return Number.isInteger(value)
    case "object":
      return isRecord(value)
    default:
      return typeof value === kind
  }
}
