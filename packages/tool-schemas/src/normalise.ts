import { isRecord } from "./json/json-value.js"
import { parsePointer } from "./json/pointer.js"
import type { JsonSchema, Keywords } from "./json-schema.js"
import { copyKeywords } from "./keywords.js"
import { SchemaError } from "./schema-error.js"

export { isOfType, typeOf } from "./json/json-value.js"
export type { JsonSchema, Keywords } from "./json-schema.js"
export { mapValue, partsOf, type ValueSite } from "./map-value.js"
export { isLinear, toExplicitPattern, toUnicodePattern } from "./patterns.js"
export { SchemaError } from "./schema-error.js"

/** A schema as 2020-12 says it. */
export interface NormalisedSchema {
  /** The schema itself: pure JSON, an own copy. Booleans stand in it only where they close an object or a list. */
  readonly root: Keywords
  /** What is referred to, as `#/$defs/…`: local references of every form, and objects that hold themselves. */
  readonly $defs: Readonly<Record<string, Keywords>>
}

/** How much is taken in, and what references start from. */
export interface NormaliseOptions {
  /** The schema that references within it start from. Default: the schema itself. */
  readonly base?: Keywords
  /** The deepest nesting. Default 64. */
  readonly maxDepth?: number
  /** The most schemas, nested ones included. Default 10,000. */
  readonly maxSchemas?: number
}

/**
 * Copies a schema of any dialect (drafts 4 to 2020-12, OpenAPI 3.0, `@adobe/data`) as 2020-12 says it, with every reference
 * turned into one to `$defs`. Nothing is fetched, and the author's schema is never changed. Keywords that nobody knows are
 * left out, so is what 2020-12 does not allow (a negative count, a pattern that does not compile).
 *
 * @throws SchemaError for what is no schema, too deep, too large, or refers to what is not there.
 * @example
 * ```ts
 * import { normaliseSchema } from "@x/tool-schemas/normalise"
 *
 * const { root } = normaliseSchema({ type: "string", nullable: true })
 * console.log(root) // { type: [ 'string', 'null' ] }
 * ```
 */
export function normaliseSchema(schema: JsonSchema, options: NormaliseOptions = {}): NormalisedSchema {
  const source = toSource(schema)
  const { base = source, maxDepth = 64, maxSchemas = 10_000 } = options
  const walk: Walk = { definitions: createDefinitions(), maxDepth, maxSchemas, left: maxSchemas }
  const root = copyAt(walk, toPlace(source, base))
  const $defs: Record<string, Keywords> = {}
  // Grows as it goes: a definition may refer to further ones.
  for (const { name, source, base } of walk.definitions.all) $defs[name] = copyAt(walk, toPlace(source, base))
  weigh(root, $defs)
  return { root, $defs }
}

/** The most schemas that one value may meet before anything below it is looked at. */
const MAX_MEETINGS = 10_000

/** Refuses what multiplies: definitions that refer to each other twice and more take ages to check a single value. */
function weigh(root: Keywords, $defs: Readonly<Record<string, Keywords>>): void {
  const known = new Map<Keywords, number>()
  const meetings = (schema: Keywords): number => {
    const before = known.get(schema)
    if (before !== undefined) return before
    // Whoever comes back here before it is known never ends.
    known.set(schema, Number.POSITIVE_INFINITY)
    const sum = metBy(schema, $defs).reduce((all, part) => all + meetings(part), 1)
    known.set(schema, sum)
    return sum
  }
  const most = Math.max(...[root, ...Object.values($defs)].map(meetings))
  if (most === Number.POSITIVE_INFINITY) {
    const message = "a schema refers to itself for the same value: expected a reference from a part of it"
    throw new SchemaError(message, { code: "dangling_ref" })
  }
  if (most > MAX_MEETINGS) {
    const message = `one value would meet ${most} schemas: expected at most ${MAX_MEETINGS}`
    throw new SchemaError(message, { code: "too_large" })
  }
}

/** The schemas that the same value has to meet, or may. */
function metBy(schema: Keywords, $defs: Readonly<Record<string, Keywords>>): readonly Keywords[] {
  const { $ref, allOf, anyOf, oneOf, not, if: when, then, else: otherwise, dependentSchemas } = schema
  const parts: unknown[] = [not, when, then, otherwise]
  if (typeof $ref === "string") parts.push($defs[$ref.slice("#/$defs/".length)])
  for (const held of [allOf, anyOf, oneOf, dependentSchemas])
    if (held !== undefined) parts.push(...Object.values(Object(held)))
  return parts.filter(isRecord)
}

/** Reads a whole schema by its keywords: `true` takes anything, `false` nothing. */
export function toSource(schema: unknown): Keywords {
  if (typeof schema === "boolean") return fromBoolean(schema)
  if (isRecord(schema)) return schema
  throw new SchemaError(`the schema is ${String(schema)}: expected an object or a boolean`, { code: "not_a_schema" })
}

interface Walk {
  readonly definitions: Definitions
  readonly maxDepth: number
  readonly maxSchemas: number
  left: number
}

/** Where an author's schema stands in the copy. */
interface Place {
  readonly source: Keywords
  /** The schema that references within it start from. */
  readonly base: Keywords
  readonly parent: Place | undefined
  readonly depth: number
}

function toPlace(source: Keywords, base: Keywords, parent?: Place): Place {
  const id = source["$id"]
  const isResource = typeof id === "string" && !id.startsWith("#")
  return { source, base: isResource ? source : base, parent, depth: parent ? parent.depth + 1 : 0 }
}

function copyAt(walk: Walk, place: Place): Keywords {
  walk.left -= 1
  if (walk.left < 0)
    throw new SchemaError(`the schema has more than ${walk.maxSchemas} subschemas`, { code: "too_large" })
  if (place.depth > walk.maxDepth)
    throw new SchemaError(`the schema is nested more than ${walk.maxDepth} deep`, { code: "too_deep" })
  const source = ignoresBesideRef(place) ? toWords(place.source) : place.source
  const copy = copyKeywords(source, (subschema) => copyBelow(walk, place, subschema))
  return { ...copy, ...toRef(walk, place) }
}

function copyBelow(walk: Walk, place: Place, subschema: unknown): Keywords {
  if (typeof subschema === "boolean") return fromBoolean(subschema)
  if (!isRecord(subschema) || isOfLibrary(subschema)) {
    const found = isRecord(subschema) ? "a schema of a library" : String(subschema)
    throw new SchemaError(`a subschema is ${found}: expected an object of JSON Schema or a boolean`, {
      code: "not_a_schema",
    })
  }
  for (let ancestor: Place | undefined = place; ancestor; ancestor = ancestor.parent) {
    if (ancestor.source === subschema) return walk.definitions.refTo(subschema, ancestor.base, subschema["title"])
  }
  return copyAt(walk, toPlace(subschema, place.base, place))
}

/** A Standard Schema among JSON Schemas says in other words what it wants; what a library has exported says its dialect. */
function isOfLibrary(schema: Keywords): boolean {
  return "~standard" in schema && !("$schema" in schema)
}

function toRef(walk: Walk, { source, base }: Place): Keywords | undefined {
  const ref = source["$ref"] ?? source["$dynamicRef"] ?? source["$recursiveRef"]
  if (typeof ref !== "string") return undefined
  const target = resolveRef(ref, base)
  return isRecord(target) ? walk.definitions.refTo(target, base, ref.split("/").at(-1)) : fromBoolean(target === true)
}

/** Up to draft 7, what stood beside a reference said nothing; what it tells people may stay. */
function ignoresBesideRef({ source, base }: Place): boolean {
  const dialect = base["$schema"]
  return typeof source["$ref"] === "string" && typeof dialect === "string" && /draft-0[3-7]/.test(dialect)
}

function toWords({ title, description }: Keywords): Keywords {
  return { title, description }
}

function fromBoolean(schema: boolean): Keywords {
  return schema ? {} : { not: {} }
}

/** What a copy refers to by name. */
interface Definitions {
  /** In the order they were first referred to; grows while the schema is walked. */
  readonly all: readonly Definition[]
  /** Refers to an author's schema under `$defs`; the same schema always under the same name. */
  refTo(source: Keywords, base: Keywords, suggestion: unknown): { readonly $ref: string }
}

interface Definition {
  /** Its name in `$defs`: `[A-Za-z0-9_.-]`. */
  readonly name: string
  readonly source: Keywords
  readonly base: Keywords
}

/** Starts without any; names are given in order, so the same schema always gives the same ones. */
function createDefinitions(): Definitions {
  const all: Definition[] = []
  const names = new Map<Keywords, string>()
  const taken = new Set<string>()
  const nameFor = (suggestion: unknown): string => {
    const words = typeof suggestion === "string" ? suggestion.replace(/[^A-Za-z0-9_.-]+/g, "_").slice(0, 64) : ""
    const name = /[A-Za-z0-9]/.test(words) ? words : "schema"
    let free = name
    for (let number = 2; taken.has(free); number += 1) free = `${name}_${number}`
    return free
  }
  return {
    all,
    refTo(source, base, suggestion) {
      const known = names.get(source)
      const name = known ?? nameFor(suggestion)
      if (known === undefined) {
        names.set(source, name)
        taken.add(name)
        all.push({ name, source, base })
      }
      return { $ref: `#/$defs/${name}` }
    },
  }
}

/**
 * Finds what a `$ref` stands for: a JSON Pointer (RFC 6901) into the schema itself, wherever it points, or an anchor.
 *
 * @throws SchemaError `network_ref` for anything outside, which is never fetched; `dangling_ref` for what is not there,
 * or goes round in a circle.
 */
export function resolveRef(ref: string, base: Keywords): unknown {
  const seen = new Set<unknown>()
  const found = followRef(ref, base)
  let target = found
  while (isRecord(target) && typeof target["$ref"] === "string") {
    if (seen.has(target)) throw new SchemaError(`$ref "${ref}" refers to itself`, { code: "dangling_ref" })
    seen.add(target)
    target = followRef(target["$ref"], base)
  }
  return found
}

function followRef(ref: string, base: Keywords): unknown {
  const fragment = toFragment(ref, base)
  const path = parsePointer(fragment)
  if (path === undefined) return findAnchor(fragment, base, ref)
  let target: unknown = base
  for (const key of path) {
    if (typeof target !== "object" || target === null || !Object.hasOwn(target, key)) throw dangling(ref)
    target = Reflect.get(target, key)
  }
  if (typeof target !== "boolean" && !isRecord(target)) throw dangling(ref)
  return target
}

/** Finds what calls itself by a name: `$anchor`, and up to draft 7 an id that is a fragment only. */
function findAnchor(name: string, base: Keywords, ref: string): unknown {
  const queue: unknown[] = [base]
  const seen = new Set<unknown>()
  for (const next of queue) {
    if (typeof next !== "object" || next === null || seen.has(next)) continue
    if (seen.size > MAX_SEARCHED) break
    seen.add(next)
    const { $anchor, $dynamicAnchor, $id, id }: Keywords = { ...next }
    if ([$anchor, $dynamicAnchor].includes(name) || [$id, id].includes(`#${name}`)) return next
    queue.push(...Object.values(next))
  }
  throw dangling(ref)
}

/** How many objects of a schema are looked through for a name. */
const MAX_SEARCHED = 10_000

function toFragment(ref: string, base: Keywords): string {
  const id = base["$id"]
  const local = typeof id === "string" && ref.startsWith(`${id}#`) ? ref.slice(id.length) : ref
  if (!local.startsWith("#")) {
    throw new SchemaError(`$ref is "${ref}": expected one within the schema, such as "#/$defs/name"`, {
      code: "network_ref",
    })
  }
  try {
    return decodeURIComponent(local.slice(1))
  } catch {
    // Not percent-encoded as it should be: it points nowhere.
  }
  throw dangling(ref)
}

function dangling(ref: string): SchemaError {
  return new SchemaError(`$ref "${ref}" points to nothing: expected a schema at that place`, { code: "dangling_ref" })
}
