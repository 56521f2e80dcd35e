import { jsonCopy } from "../json-copy.js"
import type { SchemaSource } from "../schema-source.js"
import { defined, type Keywords } from "./keywords.js"

/**
 * `type`, `enum` and `const`. The types of `@adobe/data` become those their values are written as; an unknown type
 * is dropped. `nullable`, from OpenAPI 3.0, is one more type. A `null` among the values is let in by the type too, as nothing could be it otherwise.
 */
export function typeKeywords(source: SchemaSource): Keywords {
  const constant = jsonCopy(source["const"])
  const members = toMembers(source["enum"])
  const types = toTypes(source["type"])
  const nullable = constant === null || members?.includes(null) || source["nullable"] === true
  if (source["nullable"] === true && types && members?.includes(null) === false) members.push(null)
  if (nullable && types?.includes("null") === false) types.push("null")
  return defined({ type: types?.length === 1 ? types[0] : types, const: constant, enum: members })
}

const TYPES: ReadonlyMap<unknown, string> = new Map([
  ...["null", "boolean", "integer", "number", "string", "array", "object"].map((type) => [type, type] as const),
  ["typed-buffer", "array"],
  ["blob", "string"],
])

function toTypes(type: unknown): string[] | undefined {
  const types = (Array.isArray(type) ? type : [type]).map((name) => TYPES.get(name))
  // One unknown among several would leave a type that refuses what the author lets in.
  const known = types.filter((name) => name !== undefined)
  return known.length > 0 && known.length === types.length ? [...new Set(known)] : undefined
}

/** Distinct, as the 2020-12 meta-schema wants them. */
function toMembers(members: unknown): unknown[] | undefined {
  if (!Array.isArray(members)) return undefined
  const copies = members.map(jsonCopy).filter((member) => member !== undefined)
  const distinct = new Map(copies.map((member) => [JSON.stringify(member), member]))
  return distinct.size > 0 ? [...distinct.values()] : undefined
}
