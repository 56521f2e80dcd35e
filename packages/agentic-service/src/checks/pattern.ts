import { isRecord } from "@x/tool-schemas/json"
import { isLinear, type NormalisedSchema, toUnicodePattern } from "@x/tool-schemas/normalise"

/** Tells whether a text matches a pattern of a schema. */
export type Matches = (pattern: string, text: string) => boolean

type Match = (text: string) => boolean

/**
 * Makes what runs the patterns of a schema in time that grows with the text only, whoever sends the text: the host's own engine
 * tries `^(a+)+$` for years. Where a pattern is not plainly harmless, RE2 runs it; what RE2 does not know, such as lookaround and
 * backreferences, is left to the host's engine, for short texts only.
 */
export function createPatterns(schema: NormalisedSchema): Matches | Promise<Matches> {
  const patterns = [...patternsOf(schema)]
  const known = new Map<string, Match>()
  for (const pattern of patterns) if (isLinear(pattern)) known.set(pattern, toHostMatch(pattern))
  const others = patterns.filter((pattern) => !known.has(pattern))
  const matches: Matches = (pattern, text) => known.get(pattern)?.(text) !== false
  return others.length === 0 ? matches : load(others, known).then(() => matches)
}

/** Runs patterns with the host's engine, on short texts only: for what comes from the author, as the patterns do. */
export function createHostPatterns(schema: NormalisedSchema): Matches {
  const known = new Map([...patternsOf(schema)].map((pattern) => [pattern, toShortMatch(pattern)] as const))
  return (pattern, text) => known.get(pattern)?.(text) !== false
}

async function load(patterns: readonly string[], known: Map<string, Match>): Promise<void> {
  const { RE2JS } = await import("re2js")
  for (const pattern of patterns) {
    try {
      const compiled = RE2JS.compile(RE2JS.translateRegExp(pattern))
      known.set(pattern, (text) => compiled.test(text))
    } catch {
      known.set(pattern, toShortMatch(pattern))
    }
  }
}

function toHostMatch(pattern: string): Match {
  const compiled = new RegExp(pattern, "u")
  return (text) => compiled.test(text)
}

function toShortMatch(pattern: string): Match {
  const matches = toHostMatch(pattern)
  return (text) => text.length <= SHORT && matches(text)
}

/** The longest text that is tried on a pattern outside RE2, in characters. */
const SHORT = 256

/** All that stands where a pattern stands; among the values that a schema names, there may be texts that are none. */
function patternsOf(schema: unknown, found: Set<string> = new Set()): ReadonlySet<string> {
  if (Array.isArray(schema)) for (const each of schema) patternsOf(each, found)
  if (!isRecord(schema)) return found
  const { pattern, patternProperties } = schema
  const add = (text: unknown): void => {
    if (typeof text === "string" && toUnicodePattern(text) === text) found.add(text)
  }
  add(pattern)
  if (isRecord(patternProperties)) for (const name of Object.keys(patternProperties)) add(name)
  for (const value of Object.values(schema)) if (typeof value === "object") patternsOf(value, found)
  return found
}
