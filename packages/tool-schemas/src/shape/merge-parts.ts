import { isRecord } from "@x/base"
import equal from "fast-deep-equal"
import type { Keywords } from "../json-schema.js"
import { ANNOTATIONS } from "../keywords.js"
import { type Site, withoutKeywords } from "./shape.js"

/**
 * Merges the parts of an `allOf` into one schema, when the profile forbids parts and they do not contradict each other. When
 * the profile allows only objects as parts, merges only if the result is exact.
 */
export function mergeParts(schema: Keywords, site: Site): Keywords {
  const { allOf } = schema
  if (!Array.isArray(allOf) || site.profile.parts === "any") return schema
  const pieces = [withoutKeywords(schema, ["allOf"]), ...allOf.filter(isRecord)]
  const isExact = !INTERPLAYS.some((interplay) => isAtPlay(interplay, pieces))
  if (!isExact && site.profile.parts === "objects") return schema
  const merged = pieces.reduce<Keywords | undefined>((one, part) => one && merge(one, part), {})
  if (merged === undefined) return schema
  site.note(isExact ? "rewritten" : "described", "allOf")
  return merged
}

/**
 * Checks whether grammars ignore the parts of a value, or find objects in them: they would turn any other part into an object.
 */
export function takesParts(schema: Keywords, parts: unknown): boolean {
  const { type, properties } = schema
  const isOther = ["anyOf", "oneOf", "enum", "const"].some((keyword) => schema[keyword] !== undefined)
  if (isOther || properties !== undefined || (type !== undefined && type !== "string" && type !== "object")) return true
  const isObject = (part: unknown): boolean =>
    isRecord(part) && (part["type"] === "object" || part["properties"] !== undefined)
  return type !== "string" && Array.isArray(parts) && parts.every(isObject)
}

/** Keywords that depend on others of the same schema, so that merging with another part changes their meaning. */
interface Interplay {
  readonly closing: readonly string[]
  readonly named: readonly string[]
}

const INTERPLAYS: readonly Interplay[] = [
  { closing: ["additionalProperties"], named: ["properties", "patternProperties"] },
  { closing: ["prefixItems"], named: ["items"] },
]

/** Keywords that depend on all others, even through references and choices. */
const CLOSING_ALL = ["unevaluatedProperties", "unevaluatedItems"]

function isAtPlay({ closing, named }: Interplay, pieces: readonly Keywords[]): boolean {
  const having = (keywords: readonly string[]): readonly Keywords[] =>
    pieces.filter((piece) => keywords.some((keyword) => piece[keyword] !== undefined))
  if (having(CLOSING_ALL).length > 0) return true
  return having(closing).length > 0 && having([...closing, ...named]).length > 1
}

/** Merges two schemas into one. Returns `undefined` when that takes more than merging. */
function merge(one: Keywords, other: Keywords): Keywords | undefined {
  const merged: Record<string, unknown> = { ...one }
  for (const [keyword, value] of Object.entries(other)) {
    const before = merged[keyword]
    if (before === undefined || ANNOTATIONS.includes(keyword)) merged[keyword] = before ?? value
    else if (!equal(before, value)) {
      const both = MERGES[keyword]?.(before, value)
      if (both === undefined) return undefined
      merged[keyword] = both
    }
  }
  return merged
}

const highest = (one: unknown, other: unknown): unknown => Math.max(Number(one), Number(other))
const lowest = (one: unknown, other: unknown): unknown => Math.min(Number(one), Number(other))

const MERGES: Readonly<Record<string, (one: unknown, other: unknown) => unknown>> = {
  type: mergeTypes,
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

/** Returns the types that both allow; every integer is a number. */
function mergeTypes(one: unknown, other: unknown): unknown {
  const [before, after] = [[one].flat(), [other].flat()]
  const lets = (types: readonly unknown[], type: unknown): boolean =>
    types.includes(type) || (type === "integer" && types.includes("number"))
  const both = [...before.filter((type) => lets(after, type)), ...after.filter((type) => lets(before, type))]
  const types = [...new Set(both)].filter((type) => type !== "integer" || !both.includes("number"))
  return types.length > 1 ? types : types[0]
}

function mergeProperties(one: unknown, other: unknown): unknown {
  if (!isRecord(one) || !isRecord(other)) return undefined
  const merged = new Map(Object.entries(one))
  for (const [name, property] of Object.entries(other)) {
    const before = merged.get(name)
    const both = isRecord(before) && isRecord(property) ? mergeTwo(before, property) : property
    if (both === undefined) return undefined
    merged.set(name, both)
  }
  return Object.fromEntries(merged)
}

/** Merges two schemas of one property, or combines both unchanged when merging is not enough. */
function mergeTwo(one: Keywords, other: Keywords): Keywords {
  if (equal(one, other)) return one
  const isExact = !INTERPLAYS.some((interplay) => isAtPlay(interplay, [one, other]))
  return (isExact ? merge(one, other) : undefined) ?? { allOf: [one, other] }
}
