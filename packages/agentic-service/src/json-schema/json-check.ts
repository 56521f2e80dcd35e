import { isRecord } from "@x/base"
import {
  isLinear,
  type JsonSchema,
  type NormalisedSchema,
  normaliseSchema,
  toExplicitPattern,
  toUnicodePattern,
} from "@x/tool-schemas/normalise"
import type { RE2JS } from "re2js"
import type { Checked } from "../service.js"
import { type Evaluation, evaluate, type Rule } from "./evaluation.js"
import { memberRules } from "./member-rules.js"
import { maxIssues, toFailedCheck } from "./refuse.js"
import { valueRules } from "./value-rules.js"

// The evaluator is ours, because libraries either compile code, which a page's content security policy forbids, or take time
// without bound on a hostile value or pattern.

/**
 * Creates a check against JSON Schema (2020-12, with older dialects read as 2020-12) without compiling code, so that it works
 * under a page's content security policy. It fills in no defaults, tolerates unknown formats and keywords, and stops at twenty
 * issues. Every value fails a schema that cannot be followed, and a value fails when its check takes too long. Synchronous,
 * unless a pattern engine or the table of formats must be loaded first.
 */
export function createJsonCheck(schema: JsonSchema): (value: unknown) => Checked | Promise<Checked> {
  let prepared: { readonly schema: NormalisedSchema; readonly closes: boolean } | undefined
  let tests: TextTests | Promise<TextTests> | undefined
  return (value) => {
    try {
      prepared ??= prepare(schema)
      const { schema: normalised, closes } = prepared
      tests ??= createTextTests(normalised)
      const run = (ready: TextTests): Checked => check({ closes, ...normalised, ...ready }, value)
      if (!(tests instanceof Promise)) return run(tests)
      return tests.then(
        (ready) => {
          tests = ready
          return run(ready)
        },
        (thrown) => {
          // The next call tries to load it again.
          tests = undefined
          return toFailedCheck(thrown)
        },
      )
    } catch (thrown) {
      return toFailedCheck(thrown)
    }
  }
}

/** See `loadTrustedCheck` of `create-check.ts`, which loads this file. */
export async function loadTrustedCheck(schema: JsonSchema): Promise<(value: unknown) => Checked> {
  const formats = names(schema, "format") ? await loadFormats() : noFormats
  return (value) => checkAtOnce(schema, value, formats)
}

function checkAtOnce(schema: JsonSchema, value: unknown, hasFormat: TextTests["hasFormat"]): Checked {
  try {
    const { schema: normalised, closes } = prepare(schema)
    return check({ closes, ...normalised, matches: createHostPatterns(normalised), hasFormat }, value)
  } catch (thrown) {
    return toFailedCheck(thrown)
  }
}

function prepare(schema: JsonSchema): { readonly schema: NormalisedSchema; readonly closes: boolean } {
  const normalised = normaliseSchema(schema)
  return { schema: normalised, closes: closes(normalised) }
}

interface Prepared extends NormalisedSchema, TextTests {
  readonly closes: boolean
}

function check(prepared: Prepared, value: unknown): Checked {
  try {
    const issues = evaluate({ rules, steps: MAX_STEPS, ...prepared }, value, maxIssues)
    return issues.length === 0 ? { ok: true, input: value } : { ok: false, issues }
  } catch (thrown) {
    return toFailedCheck(thrown)
  }
}

const rules: ReadonlyMap<string, Rule> = new Map([...memberRules, ...valueRules])

/** The maximum of steps of a check: visited schemas and comparisons. */
const MAX_STEPS = 4_000_000

/** Checks whether a schema has keywords that depend on evaluated members or items. */
function closes(schema: unknown): boolean {
  return names(schema, "unevaluatedProperties") || names(schema, "unevaluatedItems")
}

/** Checks whether a keyword occurs anywhere in a schema; a mere lookalike counts too. */
function names(schema: unknown, keyword: string): boolean {
  if (Array.isArray(schema)) return schema.some((each) => names(each, keyword))
  if (!isRecord(schema)) return false
  if (schema[keyword] !== undefined) return true
  return Object.values(schema).some((value) => typeof value === "object" && names(value, keyword))
}

/** Tests of texts, loaded when a schema needs them. */
type TextTests = Pick<Evaluation, "matches" | "hasFormat">

type Matches = TextTests["matches"]

type Match = (text: string) => boolean

function createTextTests(schema: NormalisedSchema): TextTests | Promise<TextTests> {
  const matches = createPatterns(schema)
  const hasFormat = names(schema, "format") ? loadFormats() : noFormats
  if (!(matches instanceof Promise || hasFormat instanceof Promise)) return { matches, hasFormat }
  return Promise.all([matches, hasFormat]).then(([matches, hasFormat]) => ({ matches, hasFormat }))
}

/** Unknown formats allow any text. */
const noFormats = (): boolean => true

async function loadFormats(): Promise<TextTests["hasFormat"]> {
  const { format } = await import("@cfworker/json-schema")
  return (name, text) => format[name]?.(text) !== false
}

/**
 * Runs a schema's patterns in time linear in the text, since callers may send any text: on `^(a+)+$` the host's own engine
 * would run for years. RE2 runs every pattern that is not obviously linear. Patterns that RE2 does not support, such as
 * lookaround and backreferences, run on the host's engine for short texts only.
 */
function createPatterns(schema: NormalisedSchema): Matches | Promise<Matches> {
  const patterns = [...patternsOf(schema)]
  const known = new Map<string, Match>()
  for (const pattern of patterns) if (isLinear(pattern)) known.set(pattern, toHostMatch(pattern))
  const others = patterns.filter((pattern) => !known.has(pattern))
  const matches: Matches = (pattern, text) => known.get(pattern)?.(text) !== false
  return others.length === 0 ? matches : load(others, known).then(() => matches)
}

/** Runs patterns on the host's engine, for short texts only. Both text and pattern come from the author. */
function createHostPatterns(schema: NormalisedSchema): Matches {
  const known = new Map([...patternsOf(schema)].map((pattern) => [pattern, toShortMatch(pattern)] as const))
  return (pattern, text) => known.get(pattern)?.(text) !== false
}

async function load(patterns: readonly string[], known: Map<string, Match>): Promise<void> {
  const { RE2JS } = await import("re2js")
  for (const pattern of patterns) {
    known.set(pattern, toLinearMatch(pattern, RE2JS) ?? toShortMatch(pattern))
  }
}

function toLinearMatch(pattern: string, engine: typeof RE2JS): Match | undefined {
  const written = toExplicitPattern(pattern)
  if (written === undefined) return undefined
  try {
    const compiled = engine.compile(engine.translateRegExp(written))
    return (text) => compiled.test(text)
  } catch {
    return undefined
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

/** The longest text for patterns outside RE2, in characters. */
const SHORT = 256

/** Collects all patterns of a schema. Example values may contain texts that only look like patterns. */
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
