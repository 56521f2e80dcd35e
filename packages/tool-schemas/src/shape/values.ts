import equal from "fast-deep-equal"
import { isOfType, isRecord, typeOf } from "../json/json-value.js"
import type { Keywords } from "../json-schema.js"
import { KEYWORDS_OF } from "../keywords.js"
import { toPlainPattern } from "../patterns.js"
import { defined, type Site, without } from "./shape.js"

/** Says `const` as an `enum` of one, and gives a type to what names its values, as the profile wants it. */
export function rewriteValues(schema: Keywords, site: Site): Keywords {
  if (site.profile.values === "any") return schema
  const { const: constant, enum: members, type } = schema
  const isConstant = Object.hasOwn(schema, "const")
  if (isConstant) site.note("rewritten", "const")
  const given = isConstant ? [constant] : members
  if (!Array.isArray(given)) return schema
  // All say what the value is: `const`, `enum` and `type`. Where they stand side by side, what they share tells, or nothing is left.
  const listed =
    isConstant && Array.isArray(members) ? given.filter((each) => members.some((one) => equal(one, each))) : given
  const values = type === undefined ? listed : listed.filter((each) => [type].flat().some((one) => isOfType(each, one)))
  if (values.length === 0) return { ...without(schema, ["const", "enum"]), not: {} }
  const said = { ...without(schema, ["const"]), enum: values }
  return type === undefined ? { ...said, type: typesOf(values) } : said
}

/** Writes a pattern in plain words, where a profile wants it so and it can be; else it goes where lost keywords go. */
export function rewritePattern(schema: Keywords, site: Site): Keywords {
  const { pattern } = schema
  if (site.profile.patterns !== "plain" || typeof pattern !== "string") return schema
  const written = toPlainPattern(pattern)
  if (written === undefined || written === pattern) return schema
  site.note("rewritten", "pattern")
  return { ...schema, pattern: written }
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
  // All that the values let in is what is no alternative here.
  if (anyOf.length === 0) return { ...outer, type: "null" }
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
  const { type, enum: values, anyOf, $ref, ...rest } = schema
  if ($ref !== undefined) return { ...rest, anyOf: [{ $ref }, { type: "null" }] }
  if (Array.isArray(anyOf)) return { ...schema, anyOf: [...anyOf, { type: "null" }] }
  return {
    ...schema,
    type: [type, "null"].flat(),
    ...(Array.isArray(values) && { enum: values.includes(null) ? values : [...values, null] }),
  }
}

/** Whether a value is of the kind that a published alternative asks for, as far as one look tells. */
export function fits(given: Keywords, value: unknown, resolve: (schema: Keywords) => Keywords): boolean {
  const schema = resolve(given)
  const { type, required, properties } = schema
  if (type !== undefined && ![type].flat().some((name) => isOfType(value, name))) return false
  const values = schema["const"] === undefined ? schema["enum"] : [schema["const"]]
  if (Array.isArray(values) && !isRecord(value) && !values.includes(value)) return false
  if (!isRecord(value)) return true
  if (Array.isArray(required) && !required.every((name) => Object.hasOwn(value, name))) return false
  const named = isRecord(properties) ? properties : {}
  return Object.entries(value).every(([name, member]) => {
    const property: unknown = Object.hasOwn(named, name) ? named[name] : undefined
    return !isRecord(property) || (typeof member === "object" && member !== null) || fits(property, member, resolve)
  })
}
