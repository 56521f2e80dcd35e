import equal from "fast-deep-equal"
import { isRecord } from "../json/json-value.js"
import type { Keywords } from "../json-schema.js"
import { ANNOTATIONS } from "../keywords.js"
import { type Site, without } from "./shape.js"

/**
 * Puts the parts of an `allOf` into one schema, where a profile has none and the parts do not contradict each other; and where it
 * has them for objects only, as far as the one says what all say.
 */
export function mergeParts(schema: Keywords, site: Site): Keywords {
  const { allOf } = schema
  if (!Array.isArray(allOf) || site.profile.parts === "any") return schema
  const pieces = [without(schema, ["allOf"]), ...allOf.filter(isRecord)]
  const isExact = !INTERPLAYS.some((interplay) => isAtPlay(interplay, pieces))
  if (!isExact && site.profile.parts === "objects") return schema
  const merged = pieces.reduce<Keywords | undefined>((one, part) => one && merge(one, part), {})
  if (merged === undefined) return schema
  site.note(isExact ? "rewritten" : "described", "allOf")
  return merged
}

/** Whether grammars leave the parts of a value alone, or find objects in them: of anything else they would make an object. */
export function takesParts(schema: Keywords, parts: unknown): boolean {
  const { type, properties } = schema
  const isOther = ["anyOf", "oneOf", "enum", "const"].some((keyword) => schema[keyword] !== undefined)
  if (isOther || properties !== undefined || (type !== undefined && type !== "string" && type !== "object")) return true
  const isObject = (part: unknown): boolean =>
    isRecord(part) && (part["type"] === "object" || part["properties"] !== undefined)
  return type !== "string" && Array.isArray(parts) && parts.every(isObject)
}

/** Keywords that close over what others in the same schema say, so that they mean something else beside those of another part. */
interface Interplay {
  readonly closing: readonly string[]
  readonly named: readonly string[]
}

const INTERPLAYS: readonly Interplay[] = [
  { closing: ["additionalProperties"], named: ["properties", "patternProperties"] },
  { closing: ["prefixItems"], named: ["items"] },
]

/** They close over whatever else is said, by references and choices as well. */
const CLOSING_ALL = ["unevaluatedProperties", "unevaluatedItems"]

function isAtPlay({ closing, named }: Interplay, pieces: readonly Keywords[]): boolean {
  const having = (keywords: readonly string[]): readonly Keywords[] =>
    pieces.filter((piece) => keywords.some((keyword) => piece[keyword] !== undefined))
  if (having(CLOSING_ALL).length > 0) return true
  return having(closing).length > 0 && having([...closing, ...named]).length > 1
}

/** One schema that says what both say; `undefined` where it would take more than merging. */
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

/** The types that both let in: every integer is a number. */
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

/** What two say of one property; both as they are where merging would take more. */
function mergeTwo(one: Keywords, other: Keywords): Keywords {
  if (equal(one, other)) return one
  const isExact = !INTERPLAYS.some((interplay) => isAtPlay(interplay, [one, other]))
  return (isExact ? merge(one, other) : undefined) ?? { allOf: [one, other] }
}
