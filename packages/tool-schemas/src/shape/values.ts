import equal from "fast-deep-equal"
import { isRecord } from "../json/json-value.js"
import type { Keywords } from "../json-schema.js"
import { KEYWORDS_OF } from "../keywords.js"
import { isOfType, typeOf } from "../values.js"
import { defined, type Site, without } from "./shape.js"

/** Says `const` as an `enum` of one, and gives a type to what names its values, as the profile wants it. */
export function rewriteValues(schema: Keywords, site: Site): Keywords {
  if (site.profile.values === "any") return schema
  const isConstant = Object.hasOwn(schema, "const")
  const { const: constant, enum: members } = schema
  if (isConstant) site.note("rewritten", "const")
  const values = isConstant ? [constant] : members
  if (!Array.isArray(values)) return schema
  // Both say what the value is; where they stand side by side, the narrower one tells, or nothing is left.
  const nothing = isConstant && Array.isArray(members) && !members.some((each) => equal(each, constant))
  const said = isConstant ? { ...without(schema, ["const"]), enum: values, ...(nothing && { not: {} }) } : schema
  return schema["type"] === undefined ? { ...said, type: typesOf(values) } : said
}

/** The types of some values, as `type` names them: one, or a list. */
function typesOf(values: readonly unknown[]): unknown {
  const types = [...new Set(values.map(typeOf))]
  return types.length === 1 ? types[0] : types
}

/** Says several types as the profile wants them: each as an alternative with the keywords that are about it. */
export function splitTypes(schema: Keywords, site: Site): Keywords {
  const { types: how } = site.profile
  if (!Array.isArray(schema["type"]) || how === "list") return schema
  const types: readonly unknown[] = schema["type"]
  const others = types.filter((type) => type !== "null")
  if (types.length === 1 && how !== "nullable") return schema
  if (how === "pair" && others.length === 1) return schema
  if (how === "nullable" && others.length < 2) return sayNullable(schema, others[0])
  site.note("rewritten", "type")
  return toAlternatives(schema, how === "nullable" ? others : types, how === "nullable" && types.length > others.length)
}

/** Leaves out what is about types that the value cannot have: it says nothing, and some refuse it. */
export function withoutOtherTypes(schema: Keywords): Keywords {
  const own = new Set([schema["type"]].flat().flatMap(keywordsOf))
  const others = OF_ONE_TYPE.filter((keyword) => schema[keyword] !== undefined && !own.has(keyword))
  return others.length === 0 ? schema : without(schema, others)
}

const OF_ONE_TYPE: readonly string[] = Object.values(KEYWORDS_OF).flat()

function keywordsOf(type: unknown): readonly string[] {
  switch (type) {
    case "integer":
    case "number":
      return KEYWORDS_OF.number
    case "string":
    case "array":
    case "object":
      return KEYWORDS_OF[type]
    default:
      return []
  }
}

function sayNullable(schema: Keywords, type: unknown): Keywords {
  if (type === undefined) return schema
  const { enum: values } = schema
  const others = Array.isArray(values) ? values.filter((each) => each !== null) : values
  return defined({ ...schema, type, nullable: true, enum: others })
}

function toAlternatives(schema: Keywords, types: readonly unknown[], nullable: boolean): Keywords {
  const { type: _, enum: values, ...rest } = schema
  const about = types.flatMap(keywordsOf)
  const outer = without(rest, about)
  const anyOf = types.flatMap((type): Keywords[] => {
    const own = Object.fromEntries(keywordsOf(type).map((keyword) => [keyword, rest[keyword]]))
    const fitting = Array.isArray(values) ? values.filter((value) => isOfType(value, type)) : undefined
    return fitting?.length === 0 ? [] : [defined({ type, ...own, enum: type === "null" ? undefined : fitting })]
  })
  const told = { ...outer, ...(nullable && { nullable }) }
  if (outer["anyOf"] === undefined) return { ...told, anyOf }
  return { ...told, allOf: [{ anyOf }, ...[outer["allOf"] ?? []].flat()] }
}

/** Whether a published schema takes `null`, as far as it says so itself. */
export function acceptsNull(schema: Keywords): boolean {
  const { type, anyOf } = schema
  if (Array.isArray(anyOf) && anyOf.some((each) => isRecord(each) && acceptsNull(each))) return true
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

/** Whether a value is of the kind that a published alternative asks for, as far as one look tells. */
export function fits(schema: Keywords, value: unknown): boolean {
  const { type, required, properties } = schema
  if (type !== undefined && ![type].flat().some((name) => isOfType(value, name))) return false
  const values = schema["const"] === undefined ? schema["enum"] : [schema["const"]]
  if (Array.isArray(values) && !isRecord(value) && !values.includes(value)) return false
  if (!isRecord(value)) return true
  if (Array.isArray(required) && !required.every((name) => Object.hasOwn(value, name))) return false
  const named = isRecord(properties) ? properties : {}
  return Object.entries(value).every(([name, member]) => {
    const property: unknown = Object.hasOwn(named, name) ? named[name] : undefined
    return !isRecord(property) || (typeof member === "object" && member !== null) || fits(property, member)
  })
}
