import type { Keywords } from "../keywords/keywords.js"
import { isSource } from "../schema-source.js"
import { dropKeywords } from "./drop-keywords.js"
import { asJsonText } from "./json-text.js"
import { mergeAll } from "./merge-all.js"
import { rewriteValues } from "./rewrite-values.js"
import { type Shape, sequence } from "./shape.js"
import { shapeArray } from "./shape-array.js"
import { shapeCombinators } from "./shape-combinators.js"
import { shapeObject } from "./shape-object.js"
import type { Site } from "./site.js"
import { splitTypes, withoutOtherTypes } from "./split-types.js"

/**
 * Puts one schema into the form that a profile takes, step by step.
 *
 * @param tooDeep - Whether no object or array may stand here any more.
 */
export function shapeNode(given: Keywords, site: Site, tooDeep: boolean): Shape {
  const { profile } = site
  // Values tell a type, which has to agree with that of the parts; and the parts may bring values.
  const merged = mergeAll(rewriteValues(withType(given, site), site), site)
  const written = splitTypes(rewriteValues(merged, site), site)
  if (tooDeep && holdsMore(written)) return asJsonText(given, site)
  const schema = profile.typed ? toOneKind(written, site) : written
  if (profile.typed && schema["type"] === undefined && !Array.isArray(schema["anyOf"])) return asJsonText(given, site)
  // Each step sees what the one before made of its own keywords, and leaves the others alone.
  const combined = shapeCombinators(schema, site)
  const listed = shapeArray(combined.schema, site)
  const shaped = shapeObject(listed.schema, site)
  const exact = combined.exact && listed.exact && shaped.exact
  const kept = dropKeywords(exact ? shaped.schema : withoutUnevaluated(shaped.schema, site), site)
  return {
    schema: kept.schema,
    restore: sequence([shaped.restore, listed.restore, combined.restore]),
    exact: exact && kept.lost.length === 0,
  }
}

/** What says nothing of its type can say it by its keywords, where a profile wants one. */
function withType(schema: Keywords, { profile }: Site): Keywords {
  if (!profile.typed || schema["type"] !== undefined) return schema
  if (isSource(schema["properties"])) return { type: "object", ...schema }
  return schema["items"] !== undefined || schema["prefixItems"] !== undefined ? { type: "array", ...schema } : schema
}

/** Where every schema has a type, alternatives stand alone, and nothing is said of other types; the rest goes into words. */
function toOneKind(schema: Keywords, site: Site): Keywords {
  const choices = ["anyOf", "oneOf"].filter((keyword) => schema[keyword] !== undefined)
  const [only] = choices
  if (only === undefined) return withoutOtherTypes(schema)
  const isChoice = schema["type"] === undefined && choices.length === 1
  const keywords = isChoice ? new Set(["title", "description", "nullable", only]) : without(schema, choices)
  const alone = dropKeywords(schema, { ...site, profile: { ...site.profile, keywords } }).schema
  if (!isChoice) return withoutOtherTypes(alone)
  return only === "oneOf" ? toAnyOf(alone, site) : alone
}

function toAnyOf(schema: Keywords, site: Site): Keywords {
  const { oneOf: anyOf, ...rest } = schema
  site.note("described", "oneOf")
  return { ...rest, anyOf }
}

function without(schema: Keywords, dropped: readonly string[]): ReadonlySet<string> {
  return new Set(Object.keys(schema).filter((keyword) => !dropped.includes(keyword)))
}

function holdsMore(schema: Keywords): boolean {
  return [schema["type"]].flat().some((type) => type === "object" || type === "array") || schema["anyOf"] !== undefined
}

/** What closes over all that is said of a value has no meaning where some of that has become words. */
function withoutUnevaluated(schema: Keywords, site: Site): Keywords {
  const { unevaluatedProperties, unevaluatedItems, ...rest } = schema
  if (unevaluatedProperties === undefined && unevaluatedItems === undefined) return schema
  site.note("described", unevaluatedProperties === undefined ? "unevaluatedItems" : "unevaluatedProperties")
  return rest
}
