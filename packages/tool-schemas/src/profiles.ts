import { ANNOTATIONS, COMBINATORS, KEYWORDS_OF } from "./keywords.js"
import type { ProfileName } from "./profile-name.js"

/** The schemas that one kind of client accepts, as data. Everything else is rewritten, or moved into descriptions. */
export interface Profile {
  /**
   * The treatment of `$ref` and `$defs`: they stay; they stay if that makes the schema smaller; or references are replaced by
   * their targets, with bounded recursion. With `stay`, the whole schema stays as it is, and the other members do not apply.
   */
  readonly refs: "stay" | "fewest" | "none"
  /** The maximum nesting. Deeper parts are requested as JSON text. */
  readonly depth: number
  /** The kept keywords; others go into the description. */
  readonly keywords: ReadonlySet<string>
  /** The kept formats; `any` for all of 2020-12. */
  readonly formats: ReadonlySet<string> | "any"
  /** Whether every schema needs a type. A schema of any type is then requested as JSON text. */
  readonly typed: boolean
  /** The form of several types: a list, a list for one type and `null` only, alternatives, or `nullable` and alternatives. */
  readonly types: "list" | "pair" | "alternatives" | "nullable"
  /** The form of `const` and `enum`: any values; any values, but in `enum` only; or strings in `enum`. */
  readonly values: "any" | "enum" | "strings"
  /** The maximum of values in all enums of a schema. */
  readonly enumValues: number
  /** Whether arrays may have `prefixItems`, and may omit `items`. */
  readonly tuples: boolean
  /** Whether objects may have further names. Without that, a map is requested as a list of entries. */
  readonly maps: boolean
  /** Whether objects are closed and all properties required. Optional properties then accept null. */
  readonly strict: boolean
  /** The allowed parts of `allOf`: any; objects only, because grammars make an object of every part; or none. */
  readonly parts: "any" | "objects" | "none"
  /** The kept patterns: any; those without lookaround and back references; or those that can be written plainly. */
  readonly patterns: "any" | "regular" | "plain"
  /** Whether numbers beyond ±(2^53 − 1) are allowed, which JavaScript rounds. */
  readonly bigNumbers: boolean
  /** The maximum of each count, by keyword, and the maximum distance of a bound above zero (for an upper one, below). */
  readonly counts: Readonly<Record<string, number>>
  /** Whether properties may have any name, or only `[A-Za-z0-9_.-]{1,64}`. */
  readonly names: boolean
}

const TELLING = ["title", "description"]
const NUMBERS = KEYWORDS_OF.number
const TEXTS = ["pattern", "format", "minLength", "maxLength"]
const LISTS = ["items", "minItems", "maxItems"]
const OBJECTS = ["properties", "required", "additionalProperties"]
const VALUES = ["type", "enum", "const"]

/** Limits of local models' grammars. */
const COUNTS_OF_GRAMMARS = { minItems: 500, maxItems: 500, minLength: 1_999, maxLength: 1_999 }
const NUMBERS_OF_GRAMMARS = Object.fromEntries(NUMBERS.slice(0, 4).map((keyword) => [keyword, 1e15]))

const ALL: ReadonlySet<string> = new Set([
  ...[...ANNOTATIONS, ...VALUES, ...Object.values(KEYWORDS_OF).flat(), ...COMBINATORS],
  ...["unevaluatedItems", "unevaluatedProperties", "$ref", "$defs", "x-mcp-header"],
])

const verbatim: Profile = {
  refs: "stay",
  depth: Number.POSITIVE_INFINITY,
  keywords: ALL,
  formats: "any",
  typed: false,
  types: "list",
  values: "any",
  enumValues: Number.POSITIVE_INFINITY,
  tuples: true,
  maps: true,
  strict: false,
  parts: "any",
  patterns: "any",
  bigNumbers: true,
  counts: {},
  names: true,
}

/**
 * The requirements of each kind of client. All require an object at the root without combinators, which publishing ensures
 * first.
 *
 * - `portable`: every tested client: those with a zod validator for 2025-11-25; VS Code, which drops a tool with an array
 *   without `items` (microsoft/vscode#246119); hosts without `$defs` (anthropics/claude-code#76040,
 *   google-gemini/gemini-cli#13142); Codex, which turns a tuple's items into strings; the Inspector, which warns about lists of
 *   types; llama.cpp, which builds one grammar of all tools and rejects them all for one pattern or count that it cannot
 *   express (ggml-org/llama.cpp, common/json-schema-to-grammar.cpp and src/llama-grammar.cpp); and the APIs below.
 * - `anthropic`: the Claude API accepts only property names `^[a-zA-Z0-9_.-]{1,64}$` and rejects the whole request otherwise
 *   (docs.claude.com, "How to implement tool use"; anthropics/claude-code#40075 for the root), and no number beyond 64 bits
 *   (anthropics/claude-code#48332).
 * - `openai`: function calling without `strict` rejects an array without `items`
 *   (platform.openai.com/docs/guides/function-calling), lookaround in a pattern (vercel/ai#21037) and too large numbers
 *   (traceroot-ai/traceroot#1971).
 * - `openai-strict`: the keywords of structured outputs: every object closed, every property required, at most ten levels and
 *   1,000 values in enums, no `oneOf`, `allOf`, `not`, no maps (platform.openai.com/docs/guides/structured-outputs, "Supported
 *   schemas").
 * - `gemini`: the `Schema` object of the Gemini API, a subset of OpenAPI 3.0: one type each, `nullable`, enums of strings, no
 *   references, no empty objects (ai.google.dev/api/caching#Schema; google-gemini/gemini-cli#13326).
 * - `verbatim`: JSON Schema 2020-12 as its author means it.
 */
export const profiles: Readonly<Record<ProfileName, Profile>> = {
  portable: {
    ...verbatim,
    refs: "none",
    types: "alternatives",
    values: "enum",
    tuples: false,
    parts: "objects",
    patterns: "plain",
    bigNumbers: false,
    counts: { ...COUNTS_OF_GRAMMARS, ...NUMBERS_OF_GRAMMARS },
    names: false,
  },
  anthropic: { ...verbatim, refs: "none", bigNumbers: false, names: false },
  openai: { ...verbatim, refs: "fewest", tuples: false, patterns: "regular", bigNumbers: false },
  "openai-strict": {
    refs: "fewest",
    depth: 9,
    keywords: new Set([...TELLING, ...VALUES, ...LISTS, ...OBJECTS, ...NUMBERS, "pattern", "format", "anyOf", "$ref"]),
    formats: new Set(["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"]),
    typed: true,
    types: "pair",
    values: "enum",
    enumValues: 1_000,
    tuples: false,
    maps: false,
    strict: true,
    parts: "none",
    patterns: "regular",
    bigNumbers: false,
    counts: {},
    names: false,
  },
  gemini: {
    refs: "none",
    depth: 16,
    keywords: new Set([
      ...[...TELLING, ...TEXTS, "minimum", "maximum", ...LISTS, "minProperties", "maxProperties"],
      ...["properties", "required", "type", "enum", "nullable", "anyOf"],
    ]),
    formats: new Set(["date-time"]),
    typed: true,
    types: "nullable",
    values: "strings",
    enumValues: Number.POSITIVE_INFINITY,
    tuples: false,
    maps: false,
    strict: false,
    parts: "none",
    patterns: "regular",
    bigNumbers: false,
    counts: {},
    names: false,
  },
  verbatim,
}
