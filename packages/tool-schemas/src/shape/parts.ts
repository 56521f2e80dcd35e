import equal from "fast-deep-equal"
import { isRecord } from "../json/json-value.js"
import type { Keywords } from "../json-schema.js"
import { COMBINATORS } from "../keywords.js"
import { itemsWay, locateBy, restoreBy, sequence, type Way } from "../way.js"
import { defined, type Shape, type Site, without } from "./shape.js"
import { fits } from "./values.js"
import { describe, drop, toWords } from "./words.js"

/** Shapes the parts of `anyOf`, `oneOf`, `allOf`, `not` and conditions; what may not be loosened goes into words where it would be. */
export function shapeCombinators(schema: Keywords, site: Site): Shape {
  if (!COMBINATORS.some((keyword) => schema[keyword] !== undefined)) return { schema, exact: true }
  const parts = { any: list(schema, "anyOf", site), one: list(schema, "oneOf", site), all: list(schema, "allOf", site) }
  const oneIsExact = parts.one.every(isSame)
  const { oneOf, ...rest } = withoutLoosened(schema, site)
  const only = oneIsExact && site.profile.keywords.has("oneOf") ? "oneOf" : "anyOf"
  if (only === "anyOf" && oneOf !== undefined) site.note("described", "oneOf")
  return {
    schema: withChoices({ ...rest, ...(parts.all.length > 0 && { allOf: parts.all.map(toSchema) }) }, parts, only),
    way: sequence([choose(parts.any), choose(parts.one), sequence(parts.all.map(({ way }) => way))]),
    exact:
      oneIsExact && only === "oneOf" && [...parts.any, ...parts.all].every(({ exact }) => exact) && same(schema, rest),
  }
}

const toSchema = ({ schema }: Shape): Keywords => schema
const isSame = ({ exact, way }: Shape): boolean => exact && way === undefined

function same(schema: Keywords, rest: Keywords): boolean {
  return ["not", ...CONDITION].every((keyword) => (schema[keyword] === undefined) === (rest[keyword] === undefined))
}

function list(schema: Keywords, keyword: string, site: Site): readonly Shape[] {
  const given = schema[keyword]
  if (!Array.isArray(given)) return []
  return given.map((part: unknown, index) => site.shape(isRecord(part) ? part : {}, [keyword, String(index)]))
}

/** Two choices side by side can both be made of alternatives. */
function withChoices(
  schema: Keywords,
  { any, one }: { readonly any: readonly Shape[]; readonly one: readonly Shape[] },
  only: "oneOf" | "anyOf",
): Keywords {
  const choices = any.length > 0 ? { ...schema, anyOf: any.map(toSchema) } : schema
  if (one.length === 0) return choices
  const alternatives = { [only]: one.map(toSchema) }
  if (only === "oneOf" || any.length === 0) return { ...choices, ...alternatives }
  return { ...choices, allOf: [alternatives, ...[choices["allOf"] ?? []].flat()] }
}

/** The way of the alternative that a value looks like. */
function choose(shapes: readonly Shape[]): Way | undefined {
  if (shapes.every(({ way }) => way === undefined)) return undefined
  const wayOf = (sent: unknown): Way | undefined => shapes.find(({ schema }) => fits(schema, sent))?.way
  return {
    restore: (sent) => restoreBy(wayOf(sent), sent),
    locate: (path, sent) => locateBy(wayOf(sent), path, sent),
  }
}

const CONDITION = ["if", "then", "else"]

/** A looser `not`, or a looser condition, would refuse what the author takes. */
function withoutLoosened(schema: Keywords, site: Site): Keywords {
  const given = ["not", ...CONDITION].filter((keyword) => isRecord(schema[keyword]))
  if (given.length === 0) return schema
  const shapes = new Map(given.map((keyword) => [keyword, site.shape(Object(schema[keyword]), [keyword])] as const))
  const isLoose = (keyword: string): boolean => !isSame(shapes.get(keyword) ?? { schema, exact: true })
  const lost = [
    ...(isLoose("not") ? ["not"] : []),
    ...(CONDITION.some(isLoose) ? CONDITION.filter((keyword) => given.includes(keyword)) : []),
  ]
  const kept: Record<string, unknown> = { ...schema }
  for (const [keyword, shape] of shapes) kept[keyword] = shape.schema
  for (const keyword of lost) site.note("described", keyword)
  return describe(
    without(kept, lost),
    lost.map((keyword) => toWords(keyword, schema[keyword])),
  )
}

/** Puts the parts of an `allOf` into one schema, where a profile has none and the parts do not contradict each other. */
export function mergeAll(schema: Keywords, site: Site): Keywords {
  const { allOf: parts } = schema
  if (!Array.isArray(parts) || site.profile.keywords.has("allOf")) return schema
  const own = without(schema, ["allOf"])
  const merged = parts.filter(isRecord).reduce<Keywords | undefined>((one, part) => one && merge(one, part), own)
  if (merged === undefined) return schema
  site.note("rewritten", "allOf")
  return merged
}

/** One schema that says what both say; `undefined` where it would take more than merging. */
function merge(one: Keywords, other: Keywords): Keywords | undefined {
  const merged: Record<string, unknown> = { ...one }
  for (const [keyword, value] of Object.entries(other)) {
    const before = merged[keyword]
    const how = MERGES[keyword]
    if (before === undefined || keyword === "title" || keyword === "description") merged[keyword] = before ?? value
    else if (!equal(before, value)) {
      const both = how?.(before, value)
      if (both === undefined) return undefined
      merged[keyword] = both
    }
  }
  return merged
}

const highest = (one: unknown, other: unknown): unknown => Math.max(Number(one), Number(other))
const lowest = (one: unknown, other: unknown): unknown => Math.min(Number(one), Number(other))

const MERGES: Readonly<Record<string, (one: unknown, other: unknown) => unknown>> = {
  properties: mergeProperties,
  required: (one, other) => [...new Set([one, other].flat())],
  minimum: highest,
  exclusiveMinimum: highest,
  minLength: highest,
  minItems: highest,
  maximum: lowest,
  exclusiveMaximum: lowest,
  maxLength: lowest,
  maxItems: lowest,
}

function mergeProperties(one: unknown, other: unknown): unknown {
  if (!isRecord(one) || !isRecord(other)) return undefined
  const merged = new Map(Object.entries(one))
  for (const [name, property] of Object.entries(other)) {
    const before = merged.get(name)
    const both = isRecord(before) && isRecord(property) ? merge(before, property) : property
    if (both === undefined) return undefined
    merged.set(name, both)
  }
  return Object.fromEntries(merged)
}

/** Shapes what a schema says of the items of a list. */
export function shapeArray(schema: Keywords, site: Site): Shape {
  const { prefixItems, contains } = schema
  if (Array.isArray(prefixItems) && !site.profile.tuples) return shapeTuple(schema, prefixItems, site)
  const items = shapeItems(schema, site)
  const first = (Array.isArray(prefixItems) ? prefixItems : [])
    .filter(isRecord)
    .map((item, index) => site.shape(item, ["prefixItems", String(index)], 1))
  const held = isRecord(contains) ? site.shape(contains, ["contains"], 1) : undefined
  const all = [items, held, ...first].filter((shape) => shape !== undefined)
  if (all.length === 0) return { schema, exact: true }
  const wayOf = (index: number): Way | undefined => (index < first.length ? first[index] : items)?.way
  return {
    schema: defined({
      ...schema,
      ...(first.length > 0 && { prefixItems: first.map(toSchema) }),
      ...(items && { items: items.schema }),
      ...(held && { contains: held.exact ? held.schema : undefined }),
      ...(held?.exact === false && { minContains: undefined, maxContains: undefined }),
    }),
    way: [items, ...first].some((shape) => shape?.way !== undefined) ? itemsWay(wayOf) : undefined,
    exact: all.every(({ exact }) => exact),
  }
}

/** What stands at all places, where a profile has no way to tell the places apart. */
function shapeTuple(schema: Keywords, prefix: readonly unknown[], site: Site): Shape {
  const { items, ...rest } = drop(schema, ["prefixItems"], site).schema
  const others = items === undefined || items === true ? [{}] : [items]
  const all = [...prefix, ...others].filter(isRecord)
  const distinct = all.filter((item, index) => all.findIndex((other) => equal(other, item)) === index)
  const ends = items === false && rest["maxItems"] === undefined ? { maxItems: prefix.length } : {}
  const open = distinct.length === 0 || distinct.some((item) => Object.keys(item).length === 0)
  const [only] = distinct
  const either = distinct.length === 1 ? only : { anyOf: distinct }
  return { ...shapeArray({ ...rest, ...ends, items: open ? {} : either }, site), exact: false }
}

function shapeItems(schema: Keywords, site: Site): Shape | undefined {
  const { items, type } = schema
  if (isRecord(items)) return site.shape(items, ["items"], 1)
  const isList = type === "array" || (Array.isArray(type) && type.includes("array"))
  if (!isList || site.profile.tuples || items !== undefined || site.careful) return undefined
  return site.shape({}, ["items"], 1)
}
