import { isOfType, type JsonValue, sameValue, toJson, toWellFormed } from "@x/base"

/**
 * A JSON Schema as data. Deliberately loose: schemas of authors and foreign services are carried unchanged, and rewritten only
 * for publishing.
 */
export type JsonSchema = boolean | { readonly [keyword: string]: unknown }

/** A JSON Schema whose root is an object. */
export type ObjectSchema = {
  /** Always `object`. */
  readonly type: "object"
  /** Any other 2020-12 keyword. */
  readonly [keyword: string]: unknown
}

/** The keywords of a schema other than a boolean: only read, never changed. */
export type Keywords = { readonly [keyword: string]: unknown }

const TYPES: ReadonlyMap<unknown, string> = new Map([
  ...["null", "boolean", "integer", "number", "string", "array", "object"].map((type) => [type, type] as const),
  // `@adobe/data`'s types, by the JSON types of their values.
  ["typed-buffer", "array"],
  ["blob", "string"],
])

/**
 * Returns the types that an author's schema names, as 2020-12 names them. Returns `undefined` when any type is unknown, because
 * the others alone would reject values that the author accepts.
 */
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
 * Returns the values of an author's `enum`, each once, as the 2020-12 meta-schema requires. Includes only values of the
 * schema's types, so the list may be empty. Returns `undefined` when no value has a JSON form.
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

/**
 * Copies a value that JSON can carry completely. Returns `undefined` for any other (a set, a function, `NaN`, half a character,
 * a cycle, megabytes).
 */
export function jsonCopy(value: unknown): JsonValue | undefined {
  if (typeof value === "boolean" || value === null) return value
  if (typeof value === "string") return toWellFormed(value) === value ? value : undefined
  const json = toJson(value, { maxDepth: 32, maxValues: 1000 })
  if (value !== json && !sameValue(value, json)) return undefined
  return HALF_IN_JSON.test(JSON.stringify(json)) ? undefined : json
}
