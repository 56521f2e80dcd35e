import type { Profile, ProfileName } from "./profile.js"

const ANNOTATIONS = ["title", "description"]
const MORE_ANNOTATIONS = ["default", "examples", "deprecated", "readOnly", "writeOnly"]
const STRINGS = ["pattern", "format", "minLength", "maxLength"]
const CONTENT = ["contentEncoding", "contentMediaType", "contentSchema"]
const NUMBERS = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"]
const ARRAYS = ["items", "minItems", "maxItems"]
const MORE_ARRAYS = ["uniqueItems", "contains", "minContains", "maxContains", "unevaluatedItems"]
const OBJECTS = ["properties", "required", "additionalProperties"]
const MORE_OBJECTS = [
  "patternProperties",
  "propertyNames",
  "minProperties",
  "maxProperties",
  "dependentRequired",
  "dependentSchemas",
  "unevaluatedProperties",
]
const COMBINATORS = ["anyOf", "oneOf", "allOf", "not", "if", "then", "else"]
const VALUES = ["type", "enum", "const"]

const ALL: ReadonlySet<string> = new Set([
  ...[...ANNOTATIONS, ...MORE_ANNOTATIONS, ...STRINGS, ...CONTENT, ...NUMBERS, ...ARRAYS, ...MORE_ARRAYS],
  ...[...OBJECTS, ...MORE_OBJECTS, ...COMBINATORS, ...VALUES, "prefixItems", "$ref", "$defs"],
])

const verbatim: Profile = {
  refs: true,
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
  names: true,
}

/**
 * What each kind of client takes. All of them want an object at the root without combinators, which is seen to before.
 *
 * - `portable`: every client that was tried: those with a validator of zod for 2025-11-25; VS Code, which drops a tool
 *   with an array without `items` (microsoft/vscode#246119); hosts that do not know `$defs` (anthropics/claude-code#76040,
 *   google-gemini/gemini-cli#13142); Codex, which makes strings of the items of a tuple; the Inspector, which warns of
 *   lists of types; and the Claude API, below.
 * - `anthropic`: the Claude API takes property names `^[a-zA-Z0-9_.-]{1,64}$` only and refuses the whole request otherwise
 *   (docs.claude.com, "How to implement tool use"; anthropics/claude-code#40075 for the root).
 * - `openai`: function calling without `strict` refuses an array without `items`
 *   (platform.openai.com/docs/guides/function-calling).
 * - `openai-strict`: the keywords of structured outputs: every object closed, every property required, at most ten levels
 *   and 1,000 values in enums, no `oneOf`, `allOf`, `not`, no maps (platform.openai.com/docs/guides/structured-outputs, "Supported schemas").
 * - `gemini`: the `Schema` object of the Gemini API, a part of OpenAPI 3.0: one type each, `nullable`, enums of strings, no
 *   references, no empty objects (ai.google.dev/api/caching#Schema; google-gemini/gemini-cli#13326).
 * - `verbatim`: JSON Schema 2020-12 as the author means it.
 */
export const profiles: Readonly<Record<ProfileName, Profile>> = {
  portable: { ...verbatim, refs: false, types: "alternatives", values: "enum", tuples: false, names: false },
  anthropic: { ...verbatim, refs: false, names: false },
  openai: { ...verbatim, refs: false, tuples: false },
  "openai-strict": {
    refs: false,
    depth: 9,
    keywords: new Set([...ANNOTATIONS, ...VALUES, ...ARRAYS, ...OBJECTS, ...NUMBERS, "pattern", "format", "anyOf"]),
    formats: new Set(["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"]),
    typed: true,
    types: "pair",
    values: "enum",
    enumValues: 1_000,
    tuples: false,
    maps: false,
    strict: true,
    names: false,
  },
  gemini: {
    refs: false,
    depth: 16,
    keywords: new Set([
      ...[...ANNOTATIONS, ...STRINGS, "minimum", "maximum", ...ARRAYS, "minProperties", "maxProperties"],
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
    names: false,
  },
  verbatim,
}
