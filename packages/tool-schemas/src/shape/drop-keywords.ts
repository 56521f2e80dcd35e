import type { Keywords } from "../keywords/keywords.js"
import type { Site } from "./site.js"
import { describe, toWords } from "./words.js"

/** Leaves what the profile takes, and says the rest in words. Gives also whether anything was lost that checks. */
export function dropKeywords(
  schema: Keywords,
  site: Site,
): { readonly schema: Keywords; readonly lost: readonly string[] } {
  const dropped = Object.keys(schema).filter((keyword) => !isTaken(keyword, schema, site))
  if (dropped.length === 0) return { schema, lost: [] }
  const lost = dropped.filter((keyword) => !TELLING.has(keyword))
  for (const keyword of lost) site.note("described", keyword)
  const rest = Object.fromEntries(Object.entries(schema).filter(([keyword]) => !dropped.includes(keyword)))
  return {
    schema: describe(
      rest,
      dropped.map((keyword) => toWords(keyword, schema[keyword])),
    ),
    lost,
  }
}

function isTaken(keyword: string, schema: Keywords, site: Site): boolean {
  const { profile } = site
  const value = schema[keyword]
  if (keyword === "format")
    return profile.keywords.has("format") && (profile.formats === "any" || profile.formats.has(String(value)))
  if (keyword === "enum") return (profile.values !== "strings" || isStrings(value)) && hasRoom(value, site)
  return profile.keywords.has(keyword)
}

/** A list of values that is too long to be shown stands in the words, shortened. */
function hasRoom(values: unknown, { left }: Site): boolean {
  const count = Array.isArray(values) ? values.length : 0
  if (count > left.enumValues) return false
  left.enumValues -= count
  return true
}

function isStrings(values: unknown): boolean {
  return (
    Array.isArray(values) && values.length > 0 && values.every((value) => typeof value === "string" && value !== "")
  )
}

/** What tells and does not check. */
const TELLING: ReadonlySet<string> = new Set([
  ...["title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly", "format"],
  ...["contentEncoding", "contentMediaType", "contentSchema"],
])
