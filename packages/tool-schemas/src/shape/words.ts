import { showJson } from "../json/shorten.js"
import type { Keywords } from "../json-schema.js"
import { ANNOTATIONS, KEYWORDS_OF } from "../keywords.js"
import { featuresOf, toPlainPattern } from "../patterns.js"
import type { Profile } from "../profiles.js"
import { takesParts } from "./merge-parts.js"
import { type Site, without } from "./shape.js"

/** A schema without some of its keywords, and whether none of those checks anything. */
export interface Reworded {
  readonly schema: Keywords
  readonly exact: boolean
}

/** Leaves what the profile takes, and says the rest in words. */
export function dropOthers(schema: Keywords, site: Site): Reworded {
  return drop(
    schema,
    Object.keys(schema).filter((keyword) => !isTaken(keyword, schema, site)),
    site,
  )
}

/** Says keywords in words. */
export function drop(schema: Keywords, keywords: readonly string[], site: Site): Reworded {
  if (keywords.length === 0) return { schema, exact: true }
  const lost = keywords.filter((keyword) => !TELLING.has(keyword))
  for (const keyword of lost) site.note("described", keyword)
  // A format that stays says in a word what its pattern says in a hundred.
  const isSaid = schema["format"] !== undefined && !keywords.includes("format")
  const words = keywords.map((keyword) =>
    keyword === "pattern" && isSaid ? undefined : toWords(keyword, schema[keyword]),
  )
  return { schema: describe(without(schema, keywords), words), exact: lost.length === 0 }
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
      // It closes over parts, too, that have become words.
      return schema["allOf"] === undefined || isTaken("allOf", schema, site)
    case "enum":
      return (
        (profile.values !== "strings" || isStrings(value)) && hasSafeNumbers(value, profile) && hasRoom(value, site)
      )
    default:
      return !VALUED.has(keyword) || hasSafeNumbers(value, profile)
  }
}

/** How far a limit is from what it keeps out: the more, the larger a grammar gets. */
function reach(keyword: string, value: number): number {
  return keyword.endsWith("aximum") ? -value : value
}

/** Whether limits leave nothing between them, which vendors refuse and grammars never end for. */
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

/** Whether a profile has a way to write a pattern. */
export function takesPattern(pattern: string, { patterns }: Pick<Profile, "patterns">): boolean {
  if (patterns === "any") return true
  if (patterns === "plain") return toPlainPattern(pattern) !== undefined
  const features = featuresOf(pattern)
  return !features.has("lookaround") && !features.has("backreference")
}

/** The keywords that hold values, or compare with one. */
const VALUED: ReadonlySet<string> = new Set([...KEYWORDS_OF.number, "const", "default", "examples"])

/** Some vendors refuse a request for a number that 64 bits do not hold, and JavaScript does not know it from its neighbours. */
function hasSafeNumbers(value: unknown, { bigNumbers }: Pick<Profile, "bigNumbers">): boolean {
  if (bigNumbers) return true
  if (typeof value === "number") return Math.abs(value) <= Number.MAX_SAFE_INTEGER
  return (
    typeof value !== "object" ||
    value === null ||
    Object.values(value).every((each) => hasSafeNumbers(each, { bigNumbers }))
  )
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

/** What tells and does not check, as far as a check goes that knows no formats. */
const TELLING: ReadonlySet<string> = new Set([
  ...ANNOTATIONS,
  ...["format", "contentEncoding", "contentMediaType", "contentSchema"],
])

/** Says a keyword in words, for a model; whatever it holds, in few. */
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

/** JSON, cut where it gets long. */
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

/** The largest integers of 64 bits, by what a number of JavaScript makes of them: it cannot hold them, and rounds up. */
const ROUNDED: ReadonlyMap<unknown, string> = new Map([
  [2 ** 63, "9223372036854775807"],
  [2 ** 64, "18446744073709551615"],
])

/** Writes a number of up to 64 bits with all its digits, where JavaScript ends it in zeros; anything else as JSON. */
function showNumber(value: unknown): string {
  return Number.isInteger(value) && Math.abs(Number(value)) <= 2 ** 64 ? String(BigInt(Number(value))) : brief(value)
}

/** What says nothing that a model needs. */
const SILENT: ReadonlySet<string> = new Set(["examples", "readOnly", "writeOnly", "$defs", "additionalProperties"])
