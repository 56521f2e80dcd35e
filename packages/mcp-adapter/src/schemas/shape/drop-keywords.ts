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

function isTaken(keyword: string, schema: Keywords, { profile }: Site): boolean {
  const value = schema[keyword]
  if (keyword === "format")
    return profile.keywords.has("format") && (profile.formats === "any" || profile.formats.has(String(value)))
  if (keyword === "enum" && profile.values === "strings") return isStrings(value)
  return profile.keywords.has(keyword)
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
