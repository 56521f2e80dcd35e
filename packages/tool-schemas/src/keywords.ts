import { isOfType, isRecord, showJson, toWellFormed } from "@x/base"
import { jsonCopy, type Keywords, membersOf, typesOf } from "./json-schema.js"
import { isFormat, toUnicodePattern, unreadableNames } from "./patterns.js"
import { SchemaError } from "./schema-error.js"

/** Keywords that constrain values of one type and ignore all others. */
export const KEYWORDS_OF: Readonly<Record<"number" | "string" | "array" | "object", readonly string[]>> = {
  number: ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"],
  string: ["pattern", "format", "minLength", "maxLength", "contentEncoding", "contentMediaType", "contentSchema"],
  array: ["prefixItems", "items", "contains", "minContains", "maxContains", "minItems", "maxItems", "uniqueItems"],
  object: [
    ...["properties", "patternProperties", "additionalProperties", "propertyNames", "required", "minProperties"],
    ...["maxProperties", "dependentRequired", "dependentSchemas"],
  ],
}

/** Keywords that describe and do not check. */
export const ANNOTATIONS: readonly string[] = [
  ...["title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly"],
]

/** Keywords that combine schemas for the same value. */
export const COMBINATORS: readonly string[] = ["anyOf", "oneOf", "allOf", "not", "if", "then", "else"]

/** Copies an author's subschema, and returns the copy or a reference to it. */
export type Copy = (subschema: unknown) => Keywords

/**
 * Copies one schema's keywords, cleaned and in 2020-12 form; `copy` copies its subschemas. Only keywords with a rule are
 * copied, so that private data of an author's library stays out.
 */
export function copyKeywords(source: Keywords, copy: Copy): Keywords {
  const out: Draft = {}
  for (const keyword of Object.keys(source)) {
    if (source[keyword] !== undefined) RULES.get(keyword)?.({ source, keyword, value: source[keyword], out, copy })
  }
  return out
}

/** A copy in progress. */
type Draft = { [keyword: string]: unknown }

/** A keyword and its target. */
interface Entry {
  readonly source: Keywords
  readonly keyword: string
  readonly value: unknown
  readonly out: Draft
  readonly copy: Copy
}

type Rule = (entry: Entry) => void

/** Copies a valid value unchanged; drops values that JSON cannot carry or 2020-12 forbids. */
const keep =
  (isAllowed: (value: unknown) => boolean): Rule =>
  ({ keyword, value, out }) => {
    if (isAllowed(value)) out[keyword] = value
  }

const isText = (value: unknown): value is string => typeof value === "string" && value !== ""
const isConcreteMediaType = (type: unknown): type is string =>
  typeof type === "string" && /^[\w.+-]+\/[\w.+-]+$/.test(type)
const isFlag = (value: unknown): value is boolean => typeof value === "boolean"
const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0
const isDivisor = (value: unknown): boolean => typeof value === "number" && Number.isFinite(value) && value > 0

const one: Rule = ({ keyword, value, out, copy }) => {
  out[keyword] = copy(value)
}

/**
 * Keeps booleans only if they close an object or a list: some clients reject a whole list of tools for any other boolean. Drops
 * the keyword when a pattern of names is unreadable, because then the other names are unknown too.
 */
const rest: Rule = ({ source, keyword, value, out, copy }) => {
  if (keyword.endsWith("Properties") && unreadableNames(source).length > 0) return
  out[keyword] = typeof value === "boolean" ? value : copy(value)
}

/** Drops empty combinators, which have no effect, but make strict validators reject the schema. */
const all: Rule = ({ keyword, value, out, copy }) => {
  if (Array.isArray(value) && value.length > 0) out[keyword] = value.map(copy)
}

const named: Rule = ({ keyword, value, out, copy }) => {
  out[keyword] = toNamed(keyword, value, copy)
}

function toNamed(keyword: string, schemas: unknown, copy: Copy): Keywords {
  if (!isRecord(schemas))
    throw new SchemaError(`${keyword} is ${String(schemas)}: expected an object`, { code: "not_a_schema" })
  const copies: Draft = {}
  for (const name of Object.keys(schemas)) {
    const schema = schemas[name]
    const written = keyword === "patternProperties" ? toUnicodePattern(name) : name
    if (schema !== undefined && written !== undefined) put(copies, written, copy(schema))
  }
  return copies
}

/** Adds a member, even one named `__proto__`. */
function put(object: Draft, name: string, value: unknown): void {
  if (name === "__proto__")
    Object.defineProperty(object, name, { value, enumerable: true, writable: true, configurable: true })
  else object[name] = value
}

const toType: Rule = ({ source, value, out }) => {
  const types = typesOf(source)
  if (types !== undefined) out["type"] = types.length === 1 ? types[0] : types
  if (value === "blob") out["contentEncoding"] = "base64"
}

const toEnum: Rule = ({ source, out }) => {
  const members = membersOf(source)
  if (members === undefined) return
  // An empty list matches no value, but must not be published.
  if (members.length === 0) out["not"] = {}
  else out["enum"] = members
}

const toConst: Rule = ({ source, value, out }) => {
  const constant = jsonCopy(value)
  if (constant === undefined) return
  if (typesOf(source)?.some((type) => isOfType(constant, type)) === false) out["not"] = {}
  else out["const"] = constant
}

/** Moves `@adobe/data`'s `ui`, `entity` and a `mediaType` such as `image/*` into the description. */
const toTitle: Rule = ({ source, out }) => {
  const ui = isRecord(source["ui"]) ? source["ui"] : {}
  const title = [source["title"], ui["name"]].find(isText)
  if (title !== undefined) out["title"] = toWellFormed(title)
}

/** Moves a pattern of another language into the description, too: no check can run it, but a model can follow it. */
const toDescription: Rule = ({ source, out }) => {
  const { description, entity, mediaType, pattern } = source
  const ui = isRecord(source["ui"]) ? source["ui"] : {}
  const words = [description, ui["summary"]].filter(isText).slice(0, 1)
  if (entity === true) words.push("(entity id)")
  if (isText(mediaType) && !isConcreteMediaType(mediaType)) words.push(`(${mediaType})`)
  if (isText(pattern) && toUnicodePattern(pattern) === undefined) words.push(`(matches ${showJson(pattern, 200)})`)
  for (const name of unreadableNames(source)) words.push(`(other names match ${showJson(name, 200)})`)
  if (words.length > 0) out["description"] = toWellFormed(words.join(" "))
}

const toDefault: Rule = ({ value, out }) => {
  const copy = jsonCopy(value)
  if (copy !== undefined) out["default"] = copy
}

/** Copies any value. Its faults are reported once its place is known. */
const toParamHeader: Rule = ({ keyword, value, out }) => {
  out[keyword] = jsonCopy(value) ?? null
}

const toExamples: Rule = ({ value, out }) => {
  const copies = Array.isArray(value) ? value.map(jsonCopy).filter((example) => example !== undefined) : []
  if (copies.length > 0) out["examples"] = copies
}

/** Handles `true` of draft 4 and OpenAPI 3.0, which excluded the adjacent limit. */
const limit =
  (exclusive: string): Rule =>
  ({ source, keyword, value, out }) => {
    if (Number.isFinite(value)) out[source[exclusive] === true ? exclusive : keyword] = value
  }

const toRequired: Rule = ({ value, out }) => {
  const names = toNames(value)
  if (names.length > 0) out["required"] = names
}

/** Returns distinct names, as the 2020-12 meta-schema requires. */
function toNames(names: unknown): string[] {
  return Array.isArray(names) ? [...new Set(names.filter((name) => typeof name === "string"))] : []
}

/** Keeps an existing `not` that already excludes all values. */
const toNot: Rule = (entry) => {
  if (entry.out["not"] === undefined) one(entry)
}

/** Splits `dependencies` of draft 7 and earlier into its two successors: lists of names, and schemas. Newer keywords win. */
const toDependencies: Rule = ({ source, value, out, copy }) => {
  if (!isRecord(value)) return
  const { dependentRequired, dependentSchemas } = source
  const lists = Object.entries(value).filter(([, each]) => Array.isArray(each))
  const schemas = Object.entries(value).filter(([, each]) => each !== undefined && !Array.isArray(each))
  if (isRecord(dependentSchemas)) schemas.push(...Object.entries(dependentSchemas))
  addNames(Object.fromEntries(lists), isRecord(dependentRequired) ? dependentRequired : {}, out)
  if (schemas.length > 0) out["dependentSchemas"] = toNamed("dependencies", Object.fromEntries(schemas), copy)
}

const toDependentRequired: Rule = ({ source, value, out }) => {
  if (!isRecord(source["dependencies"]) && isRecord(value)) addNames({}, value, out)
}

function addNames(older: Keywords, newer: Keywords, out: Draft): void {
  const lists: Draft = {}
  for (const each of [older, newer]) for (const name of Object.keys(each)) put(lists, name, toNames(each[name]))
  if (Object.keys(lists).length > 0) out["dependentRequired"] = lists
}

const toDependentSchemas: Rule = (entry) => {
  if (!isRecord(entry.source["dependencies"])) named(entry)
}

/** Converts a list in `items` (up to draft 2019-09) to `prefixItems`, and `additionalItems` to `items`. */
const toItems: Rule = ({ source, value, out, copy }) => {
  const others = Array.isArray(value) ? source["additionalItems"] : value
  if (Array.isArray(value) && value.length > 0) out["prefixItems"] = value.map(copy)
  if (others !== undefined) out["items"] = typeof others === "boolean" ? others : copy(others)
}

const toPrefixItems: Rule = (entry) => {
  if (!Array.isArray(entry.source["items"])) all(entry)
}

const toContainsCount: Rule = ({ source, keyword, value, out }) => {
  if (source["contains"] !== undefined && isCount(value)) out[keyword] = value
}

/**
 * Adds an empty branch: an `if` alone rejects nothing, but marks members as evaluated, and strict validators require a branch.
 */
const toIf: Rule = ({ source, value, out, copy }) => {
  out["if"] = copy(value)
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  if (source["then"] === undefined && source["else"] === undefined) out["then"] = {}
}

/** Drops a branch without an `if`. */
const toBranch: Rule = (entry) => {
  if (entry.source["if"] !== undefined) one(entry)
}

const toPattern: Rule = ({ value, out }) => {
  const written = toUnicodePattern(value)
  if (written !== undefined) out["pattern"] = written
}

const toMediaType: Rule = ({ source, out }) => {
  const mediaType = [source["contentMediaType"], source["mediaType"]].find(isConcreteMediaType)
  if (mediaType !== undefined) out["contentMediaType"] = mediaType
}

const toEncoding: Rule = ({ source, value, out }) => {
  if (source["type"] !== "blob" && typeof value === "string") out["contentEncoding"] = value
}

const both =
  (first: Rule, second: Rule): Rule =>
  (entry) => {
    first(entry)
    second(entry)
  }

const each = (rule: Rule, ...keywords: readonly string[]): (readonly [string, Rule])[] =>
  keywords.map((keyword) => [keyword, rule])

const RULES: ReadonlyMap<string, Rule> = new Map([
  ...each(toType, "type"),
  ...each(toEnum, "enum"),
  ...each(toConst, "const"),
  ...each(toTitle, "title"),
  ...each(toDescription, "description", "entity"),
  ...each(both(toTitle, toDescription), "ui"),
  ...each(both(toDescription, toMediaType), "mediaType"),
  ...each(toDefault, "default"),
  ...each(toExamples, "examples"),
  ...each(toParamHeader, "x-mcp-header"),
  ...each(keep(isFlag), "deprecated", "readOnly", "writeOnly", "uniqueItems"),
  ...each(limit("exclusiveMinimum"), "minimum"),
  ...each(limit("exclusiveMaximum"), "maximum"),
  ...each(keep(Number.isFinite), "exclusiveMinimum", "exclusiveMaximum"),
  ...each(keep(isDivisor), "multipleOf"),
  ...each(keep(isCount), "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"),
  ...each(toContainsCount, "minContains", "maxContains"),
  ...each(toRequired, "required"),
  ...each(toDependentRequired, "dependentRequired"),
  ...each(toDependentSchemas, "dependentSchemas"),
  ...each(toDependencies, "dependencies"),
  ...each(both(toPattern, toDescription), "pattern"),
  ...each(keep(isFormat), "format"),
  ...each(toEncoding, "contentEncoding"),
  ...each(toMediaType, "contentMediaType"),
  ...each(one, "propertyNames", "contains", "contentSchema"),
  ...each(rest, "additionalProperties", "unevaluatedProperties", "unevaluatedItems"),
  ...each(all, "allOf", "anyOf", "oneOf"),
  ...each(named, "properties"),
  ...each(both(named, toDescription), "patternProperties"),
  ...each(toItems, "items"),
  ...each(toPrefixItems, "prefixItems"),
  ...each(toNot, "not"),
  ...each(toIf, "if"),
  ...each(toBranch, "then", "else"),
])
