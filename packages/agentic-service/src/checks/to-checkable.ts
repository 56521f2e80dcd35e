import type { Schema } from "@cfworker/json-schema"
import type { JsonSchema } from "@x/tool-schemas"
import { emptyEntries } from "../maps/live-map.js"
import { toLinearPattern } from "./linear-pattern.js"
import { modernise } from "./modernise.js"

/**
 * Copies a schema into the form the validator takes; the validator writes into what it is given, and a schema
 * may be frozen, cyclic, or full of keywords of somebody's own. A cycle of objects becomes a `$ref`; types and
 * patterns nobody can check are no constraint; whatever else is not standard stays where a `$ref` may find it. What
 * older drafts wrote in another way is brought into the form of 2020-12.
 */
export function toCheckable(schema: JsonSchema): Schema | boolean {
  return copySchema(schema, "#", new Map())
}

/** The objects a copy is inside of, and where they begin. */
type Ancestors = ReadonlyMap<object, string>

function copySchema(schema: unknown, pointer: string, ancestors: Ancestors): Schema | boolean {
  if (typeof schema === "boolean") return schema
  if (typeof schema !== "object" || schema === null) return true
  const above = ancestors.get(schema)
  if (above !== undefined) return { $ref: above }

  const inside = new Map(ancestors).set(schema, pointer)
  const copy: Record<string, unknown> = {}
  for (const [keyword, value] of Object.entries(modernise(schema))) {
    const copied = copyKeyword({ keyword, value, pointer: `${pointer}/${encodePointer(keyword)}` }, inside)
    if (copied !== undefined) copy[keyword] = copied
  }
  return "pattern" in schema ? constrain(copy, toLinearPattern(String(schema.pattern))) : copy
}

/** Adds what has to hold as well, after what is there, so that references into it lead where they did. */
function constrain(copy: Record<string, unknown>, constraint: Schema | undefined): Schema {
  if (constraint === undefined) return copy
  const { allOf = [] } = copy
  return { ...copy, allOf: [...(Array.isArray(allOf) ? allOf : []), constraint] }
}

/** One keyword of a schema, and where it is. */
interface Keyword {
  readonly keyword: string
  readonly value: unknown
  readonly pointer: string
}

function copyKeyword(keyword: Keyword, ancestors: Ancestors): unknown {
  const { keyword: name, value, pointer } = keyword
  const copyPlain = plain.get(name)
  if (copyPlain) return copyPlain(value)
  if (schemaMaps.has(name)) return copyMap(value, pointer, ancestors)
  if (Array.isArray(value)) return copyList(keyword, ancestors)
  if (typeof value === "object" && value !== null) return copySchema(value, pointer, ancestors)
  return typeof value === "function" ? undefined : value
}

/** Keywords that hold no schemas. What says nothing about validity goes, and `id`, which the validator takes for `$id`. */
const plain: ReadonlyMap<string, (value: unknown) => unknown> = new Map([
  ["__proto__", () => undefined],
  ["const", (value) => value],
  ["default", () => undefined],
  ["enum", onlyList],
  ["examples", () => undefined],
  ["id", () => undefined],
  ["pattern", () => undefined],
  ["required", onlyList],
  ["type", onlyKnownTypes],
])
const schemaLists: ReadonlySet<string> = new Set(["allOf", "anyOf", "items", "oneOf", "prefixItems"])
const schemaMaps: ReadonlySet<string> = new Set([
  "$defs",
  "definitions",
  "dependencies",
  "dependentSchemas",
  "patternProperties",
  "properties",
  "schemas",
])
const types: ReadonlySet<unknown> = new Set(["array", "boolean", "integer", "null", "number", "object", "string"])

function copyMap(value: unknown, pointer: string, ancestors: Ancestors): unknown {
  if (typeof value !== "object" || value === null) return undefined
  const copy = emptyEntries<unknown>()
  for (const [key, schema] of Object.entries(value)) {
    // A list is an older draft's `dependencies`: names, not a schema.
    copy[key] = Array.isArray(schema) ? schema : copySchema(schema, `${pointer}/${encodePointer(key)}`, ancestors)
  }
  return copy
}

function copyList({ keyword, value, pointer }: Keyword, ancestors: Ancestors): unknown {
  if (!schemaLists.has(keyword) || !Array.isArray(value) || value.length === 0) return undefined
  return value.map((schema, index) => copySchema(schema, `${pointer}/${index}`, ancestors))
}

function onlyList(value: unknown): unknown {
  return Array.isArray(value) ? value : undefined
}

function onlyKnownTypes(value: unknown): unknown {
  const known = Array.isArray(value) ? value.every((type) => types.has(type)) : types.has(value)
  return known ? value : undefined
}

/** As the validator writes its pointers: a JSON pointer in a URI fragment. */
function encodePointer(key: string): string {
  return encodeURI(key.replaceAll("~", "~0").replaceAll("/", "~1")).replaceAll("#", "%23")
}
