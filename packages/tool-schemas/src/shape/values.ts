import { isOfType, isRecord, typeOf } from "@x/base"
import equal from "fast-deep-equal"
import type { Keywords } from "../json-schema.js"
import { KEYWORDS_OF } from "../keywords.js"
import { toPlainPattern } from "../patterns.js"
import { defined, type Site, withoutKeywords } from "./shape.js"

/** Converts `const` to an `enum` of one, and adds a type to listed values, as the profile requires. */
export function rewriteValues(schema: Keywords, site: Site): Keywords {
  if (site.profile.values === "any") return schema
  const { const: constant, enum: members, type } = schema
  const isConstant = Object.hasOwn(schema, "const")
  if (isConstant) site.note("rewritten", "const")
  const given = isConstant ? [constant] : members
  if (!Array.isArray(given)) return schema
  // `const`, `enum` and `type` all constrain the value. Their common values remain, or none.
  const listed =
    isConstant && Array.isArray(members) ? given.filter((each) => members.some((one) => equal(one, each))) : given
  const values = type === undefined ? listed : listed.filter((each) => [type].flat().some((one) => isOfType(each, one)))
  if (values.length === 0) return { ...withoutKeywords(schema, ["const", "enum"]), not: {} }
  const said = { ...withoutKeywords(schema, ["const"]), enum: values }
  return type === undefined ? { ...said, type: typesOf(values) } : said
}

/** Rewrites a pattern plainly, if the profile requires that and it is possible; otherwise the pattern is dropped later. */
export function rewritePattern(schema: Keywords, site: Site): Keywords {
  const { pattern } = schema
  if (site.profile.patterns !== "plain" || typeof pattern !== "string") return schema
  const written = toPlainPattern(pattern)
  if (written === undefined || written === pattern) return schema
  site.note("rewritten", "pattern")
  return { ...schema, pattern: written }
}

/** Returns the types of some values, as `type` names them: one, or a list. */
function typesOf(values: readonly unknown[]): unknown {
  const types = [...new Set(values.map(typeOf))]
  return types.length === 1 ? types[0] : types
}

/** Converts several types to the profile's form: alternatives, each with its own keywords. */
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

/** Removes keywords about impossible types, which have no effect, but make some clients reject the schema. */
export function withoutOtherTypes(schema: Keywords): Keywords {
  const own = new Set([schema["type"]].flat().flatMap(keywordsOf))
  const others = OF_ONE_TYPE.filter((keyword) => schema[keyword] !== undefined && !own.has(keyword))
  return others.length === 0 ? schema : withoutKeywords(schema, others)
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
  const outer = withoutKeywords(rest, about)
  const anyOf = types.flatMap((type): Keywords[] => {
    const own = Object.fromEntries(keywordsOf(type).map((keyword) => [keyword, rest[keyword]]))
    const fitting = Array.isArray(values) ? values.filter((value) => isOfType(value, type)) : undefined
    return fitting?.length === 0 ? [] : [defined({ type, ...own, enum: type === "null" ? undefined : fitting })]
  })
  // Only null remains, which is no alternative here.
  if (anyOf.length === 0) return { ...outer, type: "null" }
  const told = { ...outer, ...(nullable && { nullable }) }
  if (outer["anyOf"] === undefined) return { ...told, anyOf }
  return { ...told, allOf: [{ anyOf }, ...[outer["allOf"] ?? []].flat()] }
}

/** Checks whether a published schema accepts `null` by its own keywords. */
export function acceptsNull(schema: Keywords): boolean {
  const { type, anyOf } = schema
  if (Array.isArray(anyOf) && anyOf.some((each) => isRecord(each) && acceptsNull(each))) return true
  return [type].flat().includes("null") || schema["nullable"] === true
}

/** Extends a schema to accept `null`. */
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

/** Checks whether a value looks like a published alternative, without deep checks. */
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
