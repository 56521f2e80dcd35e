import type { Keywords } from "../keywords/keywords.js"

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
  const json = JSON.stringify(value) ?? "nothing"
  return json.length <= MAX_WORDS ? json : `${json.slice(0, MAX_WORDS)}…`
}

const MAX_WORDS = 200

const WORDS: Readonly<Record<string, (value: unknown) => string | undefined>> = {
  minimum: (value) => `at least ${value}`,
  maximum: (value) => `at most ${value}`,
  exclusiveMinimum: (value) => `more than ${value}`,
  exclusiveMaximum: (value) => `less than ${value}`,
  multipleOf: (value) => `a multiple of ${value}`,
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
  const: (value) => `always ${brief(value)}`,
  default: (value) => `default: ${brief(value)}`,
  prefixItems: (value) => `by place: ${brief(value)}`,
  required: (value) => `needs ${brief(value)}`,
  deprecated: (value) => (value === true ? "deprecated" : undefined),
  contentEncoding: (value) => `encoded as ${value}`,
  contentMediaType: (value) => `contains ${value}`,
}

/** What says nothing that a model needs. */
const SILENT: ReadonlySet<string> = new Set(["examples", "readOnly", "writeOnly", "$defs", "additionalProperties"])
