import { showJson } from "@x/base"
import type { Keywords } from "../json-schema.js"
import { ANNOTATIONS, KEYWORDS_OF } from "../keywords.js"
import { featuresOf, toPlainPattern } from "../patterns.js"
import type { Profile } from "../profiles.js"
import { takesParts } from "./merge-parts.js"
import { type Site, withoutKeywords } from "./shape.js"

/** A schema without some keywords, and whether none of those was a check. */
export interface Reworded {
  readonly schema: Keywords
  readonly exact: boolean
}

/** Keeps keywords that the profile accepts, and describes all others. */
export function describeOtherKeywords(schema: Keywords, site: Site): Reworded {
  return describeKeywords(
    schema,
    Object.keys(schema).filter((keyword) => !isTaken(keyword, schema, site)),
    site,
  )
}

/** Moves keywords into the description. */
export function describeKeywords(schema: Keywords, keywords: readonly string[], site: Site): Reworded {
  if (keywords.length === 0) return { schema, exact: true }
  const lost = keywords.filter((keyword) => !TELLING.has(keyword))
  for (const keyword of lost) site.note("described", keyword)
  // A kept format says briefly what its pattern says at length.
  const isSaid = schema["format"] !== undefined && !keywords.includes("format")
  const words = keywords.map((keyword) =>
    keyword === "pattern" && isSaid ? undefined : toWords(keyword, schema[keyword]),
  )
  return { schema: describe(withoutKeywords(schema, keywords), words), exact: lost.length === 0 }
}

function isTaken(keyword: string, schema: Keywords, site: Site): boolean {
  const { profile } = site
  const value = schema[keyword]
  if (!profile.keywords.has(keyword)) return false
  if (contradicts(keyword, schema)) return false
  if (typeof value === "number" && reach(keyword, value) > (profile.counts[keyword] ?? Number.POSITIVE_INFINITY))
    return false
  switch (keyword) {
    case "format":
      return profile.formats === "any" || profile.formats.has(String(value))
    case "pattern":
      return takesPattern(String(value), profile)
    case "allOf":
      return profile.parts === "any" || takesParts(schema, value)
    case "unevaluatedProperties":
    case "unevaluatedItems":
      // It depends on parts, too, that were moved into the description.
      return schema["allOf"] === undefined || isTaken("allOf", schema, site)
    case "enum":
      return (
        (profile.values !== "strings" || isStrings(value)) && hasSafeNumbers(value, profile) && hasRoom(value, site)
      )
    default:
      return !VALUED.has(keyword) || hasSafeNumbers(value, profile)
  }
}

/** Returns a limit's distance from the excluded values: a larger one makes a larger grammar. */
function reach(keyword: string, value: number): number {
  return keyword.endsWith("aximum") ? -value : value
}

/** Checks whether limits contradict each other, which vendors reject and grammars never finish. */
function contradicts(keyword: string, schema: Keywords): boolean {
  const pair = LIMITS.find(({ least, most }) => least.includes(keyword) || most.includes(keyword))
  if (pair === undefined) return false
  const given = (keywords: readonly string[]): readonly number[] =>
    keywords.map((each) => schema[each]).filter((each) => typeof each === "number")
  return Math.max(...given(pair.least)) > Math.min(...given(pair.most))
}

const LIMITS: readonly { readonly least: readonly string[]; readonly most: readonly string[] }[] = [
  { least: ["minimum", "exclusiveMinimum"], most: ["maximum", "exclusiveMaximum"] },
  { least: ["minLength"], most: ["maxLength"] },
  { least: ["minItems"], most: ["maxItems"] },
  { least: ["minProperties"], most: ["maxProperties"] },
]

/** Checks whether a profile supports a pattern. */
export function takesPattern(pattern: string, { patterns }: Pick<Profile, "patterns">): boolean {
  if (patterns === "any") return true
  if (patterns === "plain") return toPlainPattern(pattern) !== undefined
  const features = featuresOf(pattern)
  return !features.has("lookaround") && !features.has("backreference")
}

/** Keywords that contain values or compare with one. */
const VALUED: ReadonlySet<string> = new Set([...KEYWORDS_OF.number, "const", "default", "examples"])

/** Checks for numbers that JavaScript represents exactly. Some vendors reject a request for a number beyond 64 bits. */
function hasSafeNumbers(value: unknown, { bigNumbers }: Pick<Profile, "bigNumbers">): boolean {
  if (bigNumbers) return true
  if (typeof value === "number") return Math.abs(value) <= Number.MAX_SAFE_INTEGER
  return (
    typeof value !== "object" ||
    value === null ||
    Object.values(value).every((each) => hasSafeNumbers(each, { bigNumbers }))
  )
}

/** Checks for room for an enum's values. A list without room is described, shortened. */
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

/** Keywords that only describe, to a check without formats. */
const TELLING: ReadonlySet<string> = new Set([
  ...ANNOTATIONS,
  ...["format", "contentEncoding", "contentMediaType", "contentSchema", "x-mcp-header"],
])

/** Describes a keyword briefly, for a model. */
export function toWords(keyword: string, value: unknown): string | undefined {
  const say = WORDS[keyword]
  if (say !== undefined) return say(value)
  return SILENT.has(keyword) ? undefined : `${keyword}: ${brief(value)}`
}

/** Adds sentences to a schema's description. */
export function describe(schema: Keywords, words: readonly (string | undefined)[]): Keywords {
  const given = words.filter((word) => word !== undefined && word !== "")
  if (given.length === 0) return schema
  const before = schema["description"]
  const text = `(${given.join("; ")})`
  return { ...schema, description: typeof before === "string" && before !== "" ? `${before} ${text}` : text }
}

/** Formats JSON, shortened if long. */
export function brief(value: unknown): string {
  return showJson(value, MAX_WORDS)
}

const MAX_WORDS = 200

const WORDS: Readonly<Record<string, (value: unknown) => string | undefined>> = {
  minimum: (value) => `at least ${showNumber(value)}`,
  maximum: (value) => `at most ${ROUNDED.get(value) ?? showNumber(value)}`,
  exclusiveMinimum: (value) => `more than ${showNumber(value)}`,
  exclusiveMaximum: (value) => `less than ${showNumber(value)}`,
  multipleOf: (value) => `a multiple of ${showNumber(value)}`,
  minLength: (value) => `at least ${value} characters`,
  maxLength: (value) => `at most ${value} characters`,
  pattern: (value) => `matches ${brief(value)}`,
  format: (value) => `format: ${value}`,
  minItems: (value) => `at least ${value} items`,
  maxItems: (value) => `at most ${value} items`,
  uniqueItems: (value) => (value === true ? "no two items alike" : undefined),
  minProperties: (value) => `at least ${value} properties`,
  maxProperties: (value) => `at most ${value} properties`,
  enum: (value) => `one of ${brief(value)}`,
  const: (value) => `always ${showNumber(value)}`,
  default: (value) => `default: ${showNumber(value)}`,
  prefixItems: (value) => `by place: ${brief(value)}`,
  required: (value) => `needs ${brief(value)}`,
  deprecated: (value) => (value === true ? "deprecated" : undefined),
  contentEncoding: (value) => `encoded as ${value}`,
  contentMediaType: (value) => `contains ${value}`,
}

/** The largest 64-bit integers, by their rounded JavaScript numbers. */
const ROUNDED: ReadonlyMap<unknown, string> = new Map([
  [2 ** 63, "9223372036854775807"],
  [2 ** 64, "18446744073709551615"],
])

/** Formats a number of up to 64 bits with all its digits, and anything else as JSON. */
function showNumber(value: unknown): string {
  return Number.isInteger(value) && Math.abs(Number(value)) <= 2 ** 64 ? String(BigInt(Number(value))) : brief(value)
}

/** Keywords that a model does not need. */
const SILENT: ReadonlySet<string> = new Set([
  ...["examples", "readOnly", "writeOnly", "$defs", "additionalProperties", "x-mcp-header"],
])
