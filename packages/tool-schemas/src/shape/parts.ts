import { isRecord } from "@x/base"
import equal from "fast-deep-equal"
import type { Keywords } from "../json-schema.js"
import { COMBINATORS } from "../keywords.js"
import { itemsWay, locateBy, restoreBy, sequence, type Way } from "../way.js"
import { defined, type Shape, type Site, withoutKeywords } from "./shape.js"
import { fits } from "./values.js"
import { describe, describeKeywords, toWords } from "./words.js"

/**
 * Shapes the parts of `anyOf`, `oneOf`, `allOf`, `not` and conditions. Parts that must not be loosened are described instead.
 */
export function shapeCombinators(schema: Keywords, site: Site): Shape {
  if (!COMBINATORS.some((keyword) => schema[keyword] !== undefined)) return { schema, exact: true }
  const parts = { any: list(schema, "anyOf", site), one: list(schema, "oneOf", site), all: list(schema, "allOf", site) }
  const oneIsExact = parts.one.every(isSame)
  const { oneOf, ...rest } = withoutLoosened(schema, site)
  const only = oneIsExact && site.profile.keywords.has("oneOf") ? "oneOf" : "anyOf"
  if (only === "anyOf" && oneOf !== undefined) site.note("described", "oneOf")
  return {
    schema: withChoices({ ...rest, ...(parts.all.length > 0 && { allOf: parts.all.map(toSchema) }) }, parts, only),
    way: sequence([choose(parts.any, site), choose(parts.one, site), sequence(parts.all.map(({ way }) => way))]),
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

/** Adds two choices side by side, even if both become alternatives. */
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

/** Creates the way of the alternative that a value matches. */
function choose(shapes: readonly Shape[], { resolve }: Site): Way | undefined {
  if (shapes.every(({ way }) => way === undefined)) return undefined
  const wayOf = (sent: unknown): Way | undefined => shapes.find(({ schema }) => fits(schema, sent, resolve))?.way
  return {
    restore: (sent) => restoreBy(wayOf(sent), sent),
    locate: (path, sent) => locateBy(wayOf(sent), path, sent),
  }
}

const CONDITION = ["if", "then", "else"]

/** Removes a `not` or condition that would become looser, because it would then reject values that the author accepts. */
function withoutLoosened(schema: Keywords, site: Site): Keywords {
  const given = ["not", ...CONDITION].filter((keyword) => isRecord(schema[keyword]))
  if (given.length === 0) return schema
  const shapes = new Map(given.map((keyword) => [keyword, site.shape(Object(schema[keyword]), [keyword])] as const))
  const isLoose = (keyword: string): boolean => !isSame(shapes.get(keyword) ?? { schema, exact: true })
  const lost = [
    ...(isLoose("not") ? ["not"] : []),
    // No known client reads a condition at the root, and some reject any combined schema there.
    ...(site.root || CONDITION.some(isLoose) ? CONDITION.filter((keyword) => given.includes(keyword)) : []),
  ]
  const kept: Record<string, unknown> = { ...schema }
  for (const [keyword, shape] of shapes) kept[keyword] = shape.schema
  for (const keyword of lost) site.note("described", keyword)
  return describe(
    withoutKeywords(kept, lost),
    lost.map((keyword) => toWords(keyword, schema[keyword])),
  )
}

/** Shapes a schema's keywords about a list's items. */
export function shapeArray(given: Keywords, site: Site): Shape {
  const schema = withItems(given, site)
  const isTuple = Array.isArray(schema["prefixItems"]) || schema["items"] === false
  if (isTuple && !site.profile.tuples) return shapeTuple(schema, site)
  const first = shapeFirst(schema, site)
  const items = shapeItems(schema, site)
  const held = shapeOne(schema, "contains", site)
  const others = shapeOne(schema, "unevaluatedItems", site)
  const all = [...first, items, held, others].filter((shape) => shape !== undefined)
  if (all.length === 0) return { schema, exact: true }
  // A looser `contains` would count more items than the author's; and with `unevaluatedItems` the items to restore are unknown.
  const loose = [...(held?.exact === false ? CONTAINS : []), ...(others?.way === undefined ? [] : ["unevaluatedItems"])]
  const lost = loose.filter((keyword) => schema[keyword] !== undefined)
  for (const keyword of lost) site.note("described", keyword)
  const wayOf = (index: number): Way | undefined => (index < first.length ? first[index] : items)?.way
  const shaped = defined({
    ...schema,
    prefixItems: first.length > 0 ? first.map(toSchema) : undefined,
    items: items?.schema ?? schema["items"],
    contains: held?.schema,
    unevaluatedItems: others?.schema ?? schema["unevaluatedItems"],
  })
  const words = lost.map((keyword) => toWords(keyword, schema[keyword]))
  return {
    schema: describe(withoutKeywords(shaped, lost), words),
    way: [...first, items].some((shape) => shape?.way !== undefined) ? itemsWay(wayOf) : undefined,
    exact: lost.length === 0 && all.every(({ exact }) => exact),
  }
}

/** Replaces `true` by an open schema of items, because some APIs reject `true`. */
function withItems(schema: Keywords, { profile }: Site): Keywords {
  return schema["items"] === true && profile.refs !== "stay" ? { ...schema, items: {} } : schema
}

function shapeFirst({ prefixItems }: Keywords, site: Site): readonly Shape[] {
  if (!Array.isArray(prefixItems)) return []
  return prefixItems.filter(isRecord).map((item, index) => site.shape(item, ["prefixItems", String(index)], 1))
}

function shapeOne(schema: Keywords, keyword: string, site: Site): Shape | undefined {
  const given = schema[keyword]
  return isRecord(given) ? site.shape(given, [keyword], 1) : undefined
}

const CONTAINS = ["contains", "minContains", "maxContains"]

/** Merges the items of a tuple, when a profile cannot distinguish places, or cannot exclude further items. */
function shapeTuple(schema: Keywords, site: Site): Shape {
  const prefix: readonly unknown[] = Array.isArray(schema["prefixItems"]) ? schema["prefixItems"] : []
  const { items, ...rest } = prefix.length > 0 ? describeKeywords(schema, ["prefixItems"], site).schema : schema
  const others = items === undefined || items === true ? [{}] : [items]
  const all = [...prefix, ...others].filter(isRecord)
  const distinct = all.filter((item, index) => all.findIndex((other) => equal(other, item)) === index)
  const most = Math.min(prefix.length, Number(rest["maxItems"] ?? Number.POSITIVE_INFINITY))
  const open = distinct.length === 0 || distinct.some((item) => Object.keys(item).length === 0)
  const [only] = distinct
  const either = distinct.length === 1 ? only : { anyOf: distinct }
  const said = { ...rest, ...(items === false && { maxItems: most }), items: open ? {} : either }
  const shaped = shapeArray(said, site)
  return prefix.length > 0 ? { ...shaped, exact: false } : shaped
}

function shapeItems(schema: Keywords, site: Site): Shape | undefined {
  const { items, type } = schema
  // Some clients accept no boolean schema; a count already excludes further items.
  if (isRecord(items) || (typeof items === "boolean" && !site.profile.tuples)) {
    return site.shape(isRecord(items) ? items : {}, ["items"], 1)
  }
  const isList = type === "array" || (Array.isArray(type) && type.includes("array"))
  if (!isList || site.profile.tuples || items !== undefined) return undefined
  return site.shape({}, ["items"], 1)
}

/** Returns the name of a reference's definition. */
export function nameOf($ref: string): string {
  return $ref.slice("#/$defs/".length)
}

/** A replaced reference. */
export interface InlinedRef {
  /** Its target with adjacent keywords, or the schema itself without a reference. */
  readonly schema: Keywords
  /** The number of enclosing uses of each definition. */
  readonly around: ReadonlyMap<string, number>
  /** Whether recursion ended here, because the definition contains itself or the schema became too large. */
  readonly ends: boolean
}

/** Options of replacing a reference. */
export interface InlineOptions {
  /** All definitions. */
  readonly definitions: Keywords
  /** The number of enclosing uses of each definition. */
  readonly around: ReadonlyMap<string, number>
  /** Whether to end the recursion here in any case. */
  readonly ends: boolean
}

/** Replaces a reference by its target. Recursive definitions are expanded some levels, then described. */
export function inlineRef(schema: Keywords, { definitions, around, ends }: InlineOptions): InlinedRef {
  if (typeof schema["$ref"] !== "string") return { schema, around, ends: false }
  const { $ref, ...beside } = schema
  const name = nameOf(schema["$ref"])
  const target = Object.hasOwn(definitions, name) ? definitions[name] : undefined
  const body = isRecord(target) ? target : {}
  const times = around.get(name) ?? 0
  if (ends || times >= UNROLLED) {
    const { type } = body
    const leaf = typeof type === "string" ? { ...beside, type } : beside
    return { schema: describe(leaf, ["nested further in the same way"]), around, ends: true }
  }
  const inner = new Map(around).set(name, times + 1)
  return inlineRef(withBeside(body, beside), { definitions, around: inner, ends })
}

/** The expanded levels of a recursive definition. */
const UNROLLED = 2

/** Adds adjacent keywords to a target: descriptions replace the target's own, and all other keywords must hold as well. */
function withBeside(body: Keywords, beside: Keywords): Keywords {
  return isWords(beside) ? { ...body, ...beside } : { ...beside, allOf: [body, ...[beside["allOf"] ?? []].flat()] }
}

/** Replaces references in the parts of an `allOf`, so that they can be merged. */
export function openParts(inlined: InlinedRef, definitions: Keywords): InlinedRef {
  const { allOf } = inlined.schema
  if (!Array.isArray(allOf)) return inlined
  const around = new Map(inlined.around)
  const parts = allOf.filter(isRecord).map((part) => {
    const opened = inlineRef(part, { definitions, around: inlined.around, ends: false })
    for (const [name, times] of opened.around) around.set(name, Math.max(times, around.get(name) ?? 0))
    return opened.schema
  })
  return { ...inlined, schema: { ...inlined.schema, allOf: parts }, around }
}

/** Checks whether keywords only describe the value. */
export function isWords(keywords: Keywords): boolean {
  return Object.keys(keywords).every((keyword) => keyword === "title" || keyword === "description")
}
