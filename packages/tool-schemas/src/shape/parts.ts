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
function choose(shapes: readonly Shape[], { resolve }: Site): Way | undefined {
  if (shapes.every(({ way }) => way === undefined)) return undefined
  const wayOf = (sent: unknown): Way | undefined => shapes.find(({ schema }) => fits(schema, sent, resolve))?.way
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

/** Shapes what a schema says of the items of a list. */
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
  // A looser `contains` would count what the author's does not; and of the rest nobody could tell which to restore.
  const lost = [...(held?.exact === false ? CONTAINS : []), ...(others?.way === undefined ? [] : ["unevaluatedItems"])]
  const wayOf = (index: number): Way | undefined => (index < first.length ? first[index] : items)?.way
  const shaped = defined({
    ...schema,
    prefixItems: first.length > 0 ? first.map(toSchema) : undefined,
    items: items?.schema ?? schema["items"],
    contains: held?.schema,
    unevaluatedItems: others?.schema ?? schema["unevaluatedItems"],
  })
  return {
    schema: without(shaped, lost),
    way: [...first, items].some((shape) => shape?.way !== undefined) ? itemsWay(wayOf) : undefined,
    exact: lost.length === 0 && all.every(({ exact }) => exact),
  }
}

/** Says by a schema that items may be anything: some APIs refuse `true` for one. */
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

/** What stands at all places, where a profile has no way to tell the places apart, nor to say that nothing stands there. */
function shapeTuple(schema: Keywords, site: Site): Shape {
  const prefix: readonly unknown[] = Array.isArray(schema["prefixItems"]) ? schema["prefixItems"] : []
  const { items, ...rest } = prefix.length > 0 ? drop(schema, ["prefixItems"], site).schema : schema
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
  // A boolean is no schema to some; what lets nothing in has been said by a count.
  if (isRecord(items) || (typeof items === "boolean" && !site.profile.tuples)) {
    return site.shape(isRecord(items) ? items : {}, ["items"], 1)
  }
  const isList = type === "array" || (Array.isArray(type) && type.includes("array"))
  if (!isList || site.profile.tuples || items !== undefined) return undefined
  return site.shape({}, ["items"], 1)
}

/** The name of the definition that a reference is to. */
export function nameOf($ref: string): string {
  return $ref.slice("#/$defs/".length)
}

/** What stands in the place of a reference. */
export interface InlinedRef {
  /** What it refers to, with what stands beside it; the schema itself where it refers to nothing. */
  readonly schema: Keywords
  /** How often each definition is around what stands below. */
  readonly around: ReadonlyMap<string, number>
  /** Whether it ended, because the definition holds itself or all has become too much. */
  readonly ends: boolean
}

/** What a reference is inlined with. */
export interface InlineOptions {
  /** What there is to refer to. */
  readonly definitions: Keywords
  /** How often each definition is around the reference. */
  readonly around: ReadonlyMap<string, number>
  /** Whether it is to end, whatever it refers to. */
  readonly ends: boolean
}

/** Puts what a schema refers to in its place; what holds itself is unrolled for some levels, and then only said. */
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

/** How many levels of what holds itself are spelled out. */
const UNROLLED = 2

/** Words beside a reference go before those of what it refers to; anything else has to hold as well. */
function withBeside(body: Keywords, beside: Keywords): Keywords {
  return isWords(beside) ? { ...body, ...beside } : { ...beside, allOf: [body, ...[beside["allOf"] ?? []].flat()] }
}

/** Puts what the parts of an `allOf` refer to in their places, so that they can be merged. */
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

/** Whether keywords say nothing of the value. */
export function isWords(keywords: Keywords): boolean {
  return Object.keys(keywords).every((keyword) => keyword === "title" || keyword === "description")
}
