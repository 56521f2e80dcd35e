import { isOfType, type JsonValue, toWellFormed } from "./json/json-value.js"
import { sameValue } from "./json/same-value.js"
import { toJson } from "./json/to-json.js"

/**
 * A JSON Schema as data. Loose on purpose: whatever an author or a foreign service brings is
 * carried unchanged, and made presentable only where it is published.
 */
export type JsonSchema = boolean | { readonly [keyword: string]: unknown }

/** A JSON Schema whose root is an object. */
export type ObjectSchema = {
  /** Always an object. */
  readonly type: "object"
  /** Any other 2020-12 keyword. */
  readonly [keyword: string]: unknown
}

/** The keywords of a schema that is no boolean, an author's or one of ours: read, never changed. */
export type Keywords = { readonly [keyword: string]: unknown }

const TYPES: ReadonlyMap<unknown, string> = new Map([
  ...["null", "boolean", "integer", "number", "string", "array", "object"].map((type) => [type, type] as const),
  // Of `@adobe/data`: what their values are written as.
  ["typed-buffer", "array"],
  ["blob", "string"],
])

/** The types that an author's schema names, as 2020-12 does. An unknown type is dropped; one unknown among several would leave a type that refuses what the author lets in. */
export function typesOf({ type, nullable }: Keywords): string[] | undefined {
  const types = new Set<string>()
  for (const name of Array.isArray(type) ? type : [type]) {
    const known = TYPES.get(name)
    if (known === undefined) return undefined
    types.add(known)
  }
  // From OpenAPI 3.0.
  if (nullable === true) types.add("null")
  return types.size > 0 ? [...types] : undefined
}

/**
 * The values that an author's `enum` names, each once, as the 2020-12 meta-schema wants them; only those that the types let in, so
 * that there may be none. `undefined` where none is named that JSON can carry.
 */
export function membersOf(source: Keywords): readonly JsonValue[] | undefined {
  const { enum: given, nullable } = source
  if (!Array.isArray(given)) return undefined
  const types = typesOf(source)
  const members = new Map<string, JsonValue>()
  for (const each of given) {
    const member = jsonCopy(each)
    if (member !== undefined) members.set(JSON.stringify(member), member)
  }
  if (members.size === 0 && given.length > 0) return undefined
  if (nullable === true && types !== undefined) members.set("null", null)
  return [...members.values()].filter((member) => types === undefined || types.some((type) => isOfType(member, type)))
}

/** Half a character, which JSON escapes. */
const HALF_IN_JSON = /(?<!\\)(?:\\\\)*\\ud[89a-f]/

/** Copies a value that JSON carries whole; `undefined` for any other (a set, a function, `NaN`, half a character, a cycle, megabytes). */
export function jsonCopy(value: unknown): JsonValue | undefined {
  if (typeof value === "boolean" || value === null) return value
  if (typeof value === "string") return toWellFormed(value) === value ? value : undefined
  const json = toJson(value, { maxDepth: 32, maxValues: 1000 })
  if (value !== json && !sameValue(value, json)) return undefined
  return HALF_IN_JSON.test(JSON.stringify(json)) ? undefined : json
}
