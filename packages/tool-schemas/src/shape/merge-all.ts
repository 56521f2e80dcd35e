import type { Keywords } from "../keywords/keywords.js"
import { isSource } from "../schema-source.js"
import type { Site } from "./site.js"

/** Puts the parts of an `allOf` into one schema, where a profile has none and the parts do not contradict each other. */
export function mergeAll(schema: Keywords, site: Site): Keywords {
  const { allOf: parts, ...own } = schema
  if (!Array.isArray(parts) || site.profile.keywords.has("allOf")) return schema
  const merged = parts.filter(isSource).reduce<Keywords | undefined>((one, part) => one && merge(one, part), own)
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
    else if (JSON.stringify(before) !== JSON.stringify(value)) {
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
  if (!isSource(one) || !isSource(other)) return undefined
  const merged = new Map(Object.entries(one))
  for (const [name, property] of Object.entries(other)) {
    const before = merged.get(name)
    const both = isSource(before) && isSource(property) ? merge(before, property) : property
    if (both === undefined) return undefined
    merged.set(name, both)
  }
  return Object.fromEntries(merged)
}
