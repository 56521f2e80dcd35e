import { isRecord } from "@x/base"
import type { Keywords } from "../../src/json-schema.js"
import { llamaProblems } from "./llama-grammar.js"
import type { Vendor } from "./vendor-rule.js"

/** Published code of vendors and hosts that processes tool schemas, reimplemented. */
export interface VendorCode {
  /** The code's owner and location. */
  readonly source: string
  /** Returns what it would reject, or distort. */
  readonly problems: (root: Keywords) => readonly string[]
}

/** Calls a function for every schema of a tree, with its path and whether it lies under `$defs`. */
function everySchema(root: Keywords, ask: (schema: unknown, path: string) => readonly string[]): readonly string[] {
  const found: string[] = []
  const walk = (schema: unknown, path: string): void => {
    found.push(...ask(schema, path).map((problem) => `${path}: ${problem}`))
    if (!isRecord(schema)) return
    for (const [keyword, value] of Object.entries(schema)) {
      if (["properties", "patternProperties", "dependentSchemas", "$defs"].includes(keyword)) {
        for (const [name, each] of Object.entries(Object(value))) walk(each, `${path}/${keyword}/${name}`)
      } else if (["anyOf", "oneOf", "allOf", "prefixItems"].includes(keyword)) {
        for (const [index, each] of [value].flat().entries()) walk(each, `${path}/${keyword}/${index}`)
      } else if (ONE.includes(keyword)) walk(value, `${path}/${keyword}`)
    }
  }
  walk(root, "")
  return found
}

const ONE = [
  ...["items", "additionalProperties", "propertyNames", "contains", "not", "if", "then", "else", "contentSchema"],
  ...["unevaluatedItems", "unevaluatedProperties"],
]

/** openai 6.49.0, lib/transform.ts, `toStrictJsonSchema`: returns errors it would throw and changes it would make. */
function openaiStrict(root: Keywords): readonly string[] {
  const atRoot = [
    ...(root["type"] === "object" ? [] : ["the root is no object"]),
    ...(root["anyOf"] === undefined ? [] : ["a union at the root"]),
  ]
  const below = everySchema(root, (schema, path) => {
    if (typeof schema === "boolean") return path.endsWith("/additionalProperties") && !schema ? [] : ["a boolean"]
    const { properties, required, additionalProperties, $ref, ...rest }: Keywords = Object(schema)
    const names = Object.keys(Object(properties))
    const listed: readonly unknown[] = Array.isArray(required) ? required : []
    const hasShape =
      [rest["type"]].flat().includes("object") || [properties, required].some((each) => each !== undefined)
    const needsItems = [rest["type"]].flat().includes("array") && rest["items"] === undefined
    const beside = Object.keys(rest).filter(
      (keyword) => !["title", "description", "default", "$defs"].includes(keyword),
    )
    return [
      ...(hasShape && additionalProperties !== false ? ["an open object"] : []),
      ...(hasShape && listed.some((name) => !names.includes(String(name)))
        ? ["something required that is no property"]
        : []),
      ...(names.every((name) => listed.includes(name)) ? [] : ["an optional property"]),
      ...(needsItems ? ["an array without items"] : []),
      ...(typeof $ref === "string" && !refersTo(root, $ref) ? [`a reference to nowhere: ${$ref}`] : []),
      ...($ref !== undefined && beside.length > 0 ? [`${beside} beside a reference`] : []),
      ...Object.keys(Object(schema)).filter((keyword) => STRICT_REFUSED.has(keyword)),
    ]
  })
  return [...atRoot, ...below]
}

const STRICT_REFUSED: ReadonlySet<string> = new Set([
  ...["allOf", "contains", "contentEncoding", "contentMediaType", "contentSchema", "dependentRequired", "uniqueItems"],
  ...["dependentSchemas", "if", "then", "else", "not", "maxContains", "minContains", "maxProperties", "minProperties"],
  ...["patternProperties", "prefixItems", "propertyNames", "unevaluatedItems", "unevaluatedProperties", "$dynamicRef"],
])

function refersTo(root: Keywords, ref: string): boolean {
  return (
    ref.startsWith("#/$defs/") && isRecord(root["$defs"]) && Object.hasOwn(root["$defs"], ref.slice("#/$defs/".length))
  )
}

/** The API behind it: one pattern with lookaround, or a too large number, fails the whole request. */
function openaiApi(root: Keywords): readonly string[] {
  return everySchema(root, (schema) => [...lookaround(schema), ...tooLarge(schema)])
}

function lookaround(schema: unknown): readonly string[] {
  const { pattern, patternProperties }: Keywords = Object(schema)
  const all = [pattern, ...Object.keys(Object(patternProperties))].filter((each) => typeof each === "string")
  // Searches like hosts that strip lookaround, so lookalikes count too.
  return all.filter((each) => /\(\?<?[=!]/.test(each)).map((each) => `lookaround in ${each}`)
}

function tooLarge(schema: unknown): readonly string[] {
  const { properties: _, $defs: __, ...own }: Keywords = Object(schema)
  return Object.entries(own).flatMap(([keyword, value]) => {
    const numbers = [value].flat().filter((each) => typeof each === "number")
    return numbers.filter((each) => Math.abs(each) >= 2 ** 53).map((each) => `${keyword}: ${each} is too large`)
  })
}

/** @google/genai 2.32.0, `processJsonSchema` and the fields of `Schema` in genai.d.ts. */
function googleGenai(root: Keywords): readonly string[] {
  return everySchema(root, (schema, path) => {
    if (typeof schema === "boolean") return [`a boolean is no Schema`]
    const { type, anyOf, enum: values, ...rest }: Keywords = Object(schema)
    return [
      ...(type !== undefined && anyOf !== undefined ? ["type and anyOf cannot be both populated"] : []),
      ...(type === "null" && !/\/anyOf\/\d+$/.test(path) ? ["null cannot be the only type"] : []),
      ...(Array.isArray(type) && type.filter((each) => each !== "null").length === 0 ? ["no type but null"] : []),
      ...(values === undefined || (Array.isArray(values) && values.every((each) => typeof each === "string"))
        ? []
        : ["an enum of something else than texts"]),
      ...(rest["additionalProperties"] === undefined ? [] : ["additionalProperties is left out, silently"]),
      ...Object.keys(rest).filter((keyword) => !GENAI_FIELDS.has(keyword) && keyword !== "additionalProperties"),
    ]
  })
}

const GENAI_FIELDS: ReadonlySet<string> = new Set([
  ...["default", "description", "example", "format", "items", "maxItems", "maxLength", "maxProperties", "maximum"],
  ...["minItems", "minLength", "minProperties", "minimum", "nullable", "pattern", "properties", "propertyOrdering"],
  ...["required", "title"],
])

/** @mastra/schema-compat 1.3.11: changes that its OpenAI layer makes to every schema. */
function mastraOpenai(root: Keywords): readonly string[] {
  return everySchema(root, (schema, path) => {
    const { type, anyOf, format, additionalProperties, propertyNames, $ref }: Keywords = Object(schema)
    const isClosing = path.endsWith("/additionalProperties")
    return [
      ...(type === undefined && anyOf === undefined && $ref === undefined && !isClosing
        ? ["neither type nor anyOf"]
        : []),
      ...(type === "object" && additionalProperties !== false ? ["an open object"] : []),
      ...(propertyNames === undefined ? [] : ["propertyNames"]),
      ...(format === undefined || MASTRA_FORMATS.has(String(format)) ? [] : [`format ${format}`]),
    ]
  })
}

const MASTRA_FORMATS: ReadonlySet<string> = new Set(
  "date-time time date duration email hostname ipv4 ipv6 uuid".split(" "),
)

/** @mastra/schema-compat 1.3.11: its Google layer expands references, and has no null. */
function mastraGoogle(root: Keywords): readonly string[] {
  return everySchema(root, (schema) => {
    const { type, $ref, $defs }: Keywords = Object(schema)
    return [...(($ref ?? $defs) ? ["a reference"] : []), ...([type].flat().includes("null") ? ["the type null"] : [])]
  })
}

/** The Claude API, as reported by users whose requests failed: anthropics/claude-code#48332, RevenueCat/ai-toolkit#26. */
function anthropicApi(root: Keywords): readonly string[] {
  return everySchema(root, tooLarge)
}

/** openai/codex, codex-rs/tools/src/json_schema.rs: booleans become texts, and so do schemas without a type. */
function codex(root: Keywords): readonly string[] {
  return everySchema(root, (schema, path) => {
    if (typeof schema === "boolean")
      return path.endsWith("additionalProperties") || /unevaluated/.test(path) ? [] : ["a boolean"]
    const { enum: values, type, const: constant }: Keywords = Object(schema)
    return [
      ...(values !== undefined && type === undefined ? ["an enum without a type becomes one of texts"] : []),
      ...(constant === undefined ? [] : ["a constant without a type becomes a text"]),
    ]
  })
}

/** @modelcontextprotocol/sdk 1.x, types.ts, `ToolSchema`: one rejected tool costs the whole list. */
function sdkV1(root: Keywords): readonly string[] {
  const properties = Object.entries(Object(root["properties"]))
  return [
    ...(root["type"] === "object" ? [] : ["the root's type"]),
    ...properties.filter(([, each]) => typeof each !== "object" || each === null).map(([name]) => `property ${name}`),
    ...(root["required"] === undefined || Array.isArray(root["required"]) ? [] : ["required"]),
  ]
}

const OPENAI_API: VendorCode = { source: "vercel/ai#21037, traceroot-ai/traceroot#1971", problems: openaiApi }
const SDK_V1: VendorCode = { source: "@modelcontextprotocol/sdk 1.32.2, ToolSchema", problems: sdkV1 }
const ANTHROPIC: VendorCode = { source: "anthropics/claude-code#48332", problems: anthropicApi }

/** The code that each profile must pass, beside its documented rules. */
const VENDOR_CODE: Readonly<Record<Vendor, readonly VendorCode[]>> = {
  portable: [
    SDK_V1,
    OPENAI_API,
    ANTHROPIC,
    { source: "ggml-org/llama.cpp, common/json-schema-to-grammar.cpp, src/llama-grammar.cpp", problems: llamaProblems },
    { source: "openai/codex, codex-rs/tools/src/json_schema.rs", problems: codex },
  ],
  anthropic: [SDK_V1, ANTHROPIC],
  openai: [SDK_V1, OPENAI_API],
  "openai-strict": [
    SDK_V1,
    OPENAI_API,
    { source: "openai 6.49.0, lib/transform.ts", problems: openaiStrict },
    { source: "@mastra/schema-compat 1.3.11, OpenAI", problems: mastraOpenai },
  ],
  gemini: [
    SDK_V1,
    { source: "@google/genai 2.32.0, processJsonSchema", problems: googleGenai },
    { source: "@mastra/schema-compat 1.3.11, Google", problems: mastraGoogle },
    OPENAI_API,
  ],
  verbatim: [SDK_V1],
}

/** Returns the objections of the vendors' own code to a schema, each with its source. */
export function codeProblems(vendor: Vendor, schema: Keywords): readonly string[] {
  return VENDOR_CODE[vendor].flatMap(({ source, problems }) =>
    problems(schema).map((problem) => `${problem} (${source})`),
  )
}
