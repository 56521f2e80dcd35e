import { ANNOTATIONS, COMBINATORS, KEYWORDS_OF } from "./keywords.js"

/** What one kind of client takes, as data: the rest is rewritten into it, or into words. */
export interface Profile {
  /**
   * What becomes of `$ref` and `$defs`: they stay; they stay where the schema would be larger without; or what is referred to stands
   * in its place, recursion to a bound.
   */
  readonly refs: "stay" | "fewest" | "none"
  /** How deep schemas may be nested; what is deeper is asked for as JSON text. */
  readonly depth: number
  /** The keywords that stay; what others say goes into the description. */
  readonly keywords: ReadonlySet<string>
  /** The formats that stay; `any` for all of 2020-12. */
  readonly formats: ReadonlySet<string> | "any"
  /** Whether every schema has to have a type; what can be anything is asked for as JSON text then. */
  readonly typed: boolean
  /** How several types are said: as a list, a list for one type and `null` only, alternatives, or `nullable` and alternatives. */
  readonly types: "list" | "pair" | "alternatives" | "nullable"
  /** What `const` and `enum` may be: anything; anything but in `enum` only; or strings in `enum`. */
  readonly values: "any" | "enum" | "strings"
  /** How many values may stand in the enums of one schema. */
  readonly enumValues: number
  /** Whether an array may say what stands at each place (`prefixItems`), and need not say what its items are. */
  readonly tuples: boolean
  /** Whether an object may have names that its schema does not; else a map is asked for as a list of entries. */
  readonly maps: boolean
  /** Whether objects are closed and everything in them required; what may be left out may be null then. */
  readonly strict: boolean
  /** What may stand in `allOf`: anything; objects only, as grammars make an object of whatever it holds; or nothing. */
  readonly parts: "any" | "objects" | "none"
  /** The patterns that stay: any; those without lookaround and back references; those that can be written in plain words. */
  readonly patterns: "any" | "regular" | "plain"
  /** Whether numbers may be beyond ±(2^53 − 1), where they say another than they were written as. */
  readonly bigNumbers: boolean
  /** The most that a count may be, by keyword; and how far a bound may be above zero, or for an upper one below. */
  readonly counts: Readonly<Record<string, number>>
  /** Whether properties may have any name; else only `[A-Za-z0-9_.-]{1,64}`. */
  readonly names: boolean
}

/** The profiles there are. */
export type ProfileName = "portable" | "anthropic" | "openai" | "openai-strict" | "gemini" | "verbatim"

const TELLING = ["title", "description"]
const NUMBERS = KEYWORDS_OF.number
const TEXTS = ["pattern", "format", "minLength", "maxLength"]
const LISTS = ["items", "minItems", "maxItems"]
const OBJECTS = ["properties", "required", "additionalProperties"]
const VALUES = ["type", "enum", "const"]

/** What grammars of local models have room for. */
const COUNTS_OF_GRAMMARS = { minItems: 500, maxItems: 500, minLength: 1_999, maxLength: 1_999 }
const NUMBERS_OF_GRAMMARS = Object.fromEntries(NUMBERS.slice(0, 4).map((keyword) => [keyword, 1e15]))

const ALL: ReadonlySet<string> = new Set([
  ...[...ANNOTATIONS, ...VALUES, ...Object.values(KEYWORDS_OF).flat(), ...COMBINATORS],
  ...["unevaluatedItems", "unevaluatedProperties", "$ref", "$defs"],
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
 * What each kind of client takes. All of them want an object at the root without combinators, which is seen to before.
 *
 * - `portable`: every client that was tried: those with a validator of zod for 2025-11-25; VS Code, which drops a tool
 *   with an array without `items` (microsoft/vscode#246119); hosts that do not know `$defs` (anthropics/claude-code#76040,
 *   google-gemini/gemini-cli#13142); Codex, which makes strings of the items of a tuple; the Inspector, which warns of
 *   lists of types; llama.cpp, which makes one grammar of all tools and refuses them all for one pattern or count that it cannot
 *   write (ggml-org/llama.cpp, common/json-schema-to-grammar.cpp and src/llama-grammar.cpp); and the APIs below.
 * - `anthropic`: the Claude API takes property names `^[a-zA-Z0-9_.-]{1,64}$` only and refuses the whole request otherwise
 *   (docs.claude.com, "How to implement tool use"; anthropics/claude-code#40075 for the root), and no number beyond 64 bits (anthropics/claude-code#48332).
 * - `openai`: function calling without `strict` refuses an array without `items`
 *   (platform.openai.com/docs/guides/function-calling), lookaround in a pattern (vercel/ai#21037) and numbers that are too large
 *   (traceroot-ai/traceroot#1971).
 * - `openai-strict`: the keywords of structured outputs: every object closed, every property required, at most ten levels
 *   and 1,000 values in enums, no `oneOf`, `allOf`, `not`, no maps (platform.openai.com/docs/guides/structured-outputs, "Supported schemas").
 * - `gemini`: the `Schema` object of the Gemini API, a part of OpenAPI 3.0: one type each, `nullable`, enums of strings, no
 *   references, no empty objects (ai.google.dev/api/caching#Schema; google-gemini/gemini-cli#13326).
 * - `verbatim`: JSON Schema 2020-12 as the author means it.
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
