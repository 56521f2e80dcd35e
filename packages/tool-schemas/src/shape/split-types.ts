import { defined, type Keywords } from "../keywords/keywords.js"
import { typeOf } from "./rewrite-values.js"
import type { Site } from "./site.js"

/** Says several types as the profile wants them: each as an alternative with the keywords that are about it. */
export function splitTypes(schema: Keywords, site: Site): Keywords {
  const { types: how } = site.profile
  const types = [schema["type"]].flat()
  const others = types.filter((type) => type !== "null")
  if (types.length === 1 && how !== "nullable") return schema
  if (how === "list" || (how === "pair" && others.length === 1)) return schema
  if (how === "nullable" && others.length < 2) return toNullable(schema, others)
  site.note("rewritten", "type")
  return toAlternatives(schema, how === "nullable" ? others : types, how === "nullable" && types.length > others.length)
}

/** Leaves out what is about types that the value cannot have: it says nothing, and some refuse it. */
export function withoutOtherTypes(schema: Keywords): Keywords {
  const types = [schema["type"]].flat().map(String)
  const own = new Set(types.flatMap((type) => KEYWORDS[type] ?? []))
  const others = new Set(Object.values(KEYWORDS).flat())
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => own.has(keyword) || !others.has(keyword)))
}

function toNullable(schema: Keywords, [type]: readonly unknown[]): Keywords {
  const types = [schema["type"]].flat()
  if (type === undefined || !types.includes("null")) return schema
  return defined({ ...schema, type, nullable: true, enum: without(schema["enum"], null) })
}

function toAlternatives(schema: Keywords, types: readonly unknown[], nullable: boolean): Keywords {
  const { type: _, enum: values, ...rest } = schema
  const about = new Set(types.flatMap((type) => KEYWORDS[String(type)] ?? []))
  const outer = Object.fromEntries(Object.entries(rest).filter(([keyword]) => !about.has(keyword)))
  const anyOf = types.flatMap((type): Keywords[] => {
    const own = Object.fromEntries((KEYWORDS[String(type)] ?? []).map((keyword) => [keyword, rest[keyword]]))
    const fitting = Array.isArray(values) ? values.filter((value) => isOfType(value, type)) : undefined
    return fitting?.length === 0 ? [] : [defined({ type, ...own, enum: type === "null" ? undefined : fitting })]
  })
  const told = { ...outer, ...(nullable && { nullable }) }
  if (outer["anyOf"] === undefined) return { ...told, anyOf }
  return { ...told, allOf: [{ anyOf }, ...[outer["allOf"] ?? []].flat()] }
}

function isOfType(value: unknown, type: unknown): boolean {
  const own = typeOf(value)
  return own === type || (type === "integer" && Number.isInteger(value))
}

function without(values: unknown, value: unknown): unknown {
  return Array.isArray(values) ? values.filter((each) => each !== value) : values
}

const NUMBERS = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"]

/** The keywords that are about one type, and true of all others. */
const KEYWORDS: Readonly<Record<string, readonly string[]>> = {
  number: NUMBERS,
  integer: NUMBERS,
  string: ["pattern", "format", "minLength", "maxLength", "contentEncoding", "contentMediaType", "contentSchema"],
  array: ["prefixItems", "items", "contains", "minContains", "maxContains", "minItems", "maxItems", "uniqueItems"],
  object: [
    ...["properties", "patternProperties", "additionalProperties", "propertyNames", "required", "minProperties"],
    ...["maxProperties", "dependentRequired", "dependentSchemas"],
  ],
}
