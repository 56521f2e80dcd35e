import { isRecord } from "@x/base"
import type { JsonSchema, Keywords } from "./json-schema.js"
import { copyKeywords } from "./keywords.js"
import { fromBoolean, resolveRef, toSource } from "./references.js"
import { SchemaError } from "./schema-error.js"

export { isOfType, typeOf } from "@x/base"
export type { JsonSchema, Keywords } from "./json-schema.js"
export { mapValue, partsOf, type ValueSite } from "./map-value.js"
export { isLinear, toExplicitPattern, toUnicodePattern } from "./patterns.js"
export { SchemaError } from "./schema-error.js"

/** A schema in 2020-12 form. */
export interface NormalisedSchema {
  /** The schema itself: a copy of pure JSON. It contains booleans only to close an object or a list. */
  readonly root: Keywords
  /** Referenced schemas, as `#/$defs/…`: local references of every form, and objects that contain themselves. */
  readonly $defs: Readonly<Record<string, Keywords>>
}

/** Limits, and the base of references. */
export interface NormaliseOptions {
  /** The base of the schema's references. Default: the schema itself. */
  readonly base?: Keywords
  /** The maximum nesting. Default 64. */
  readonly maxDepth?: number
  /** The maximum of schemas, nested ones included. Default 10,000. */
  readonly maxSchemas?: number
}

/**
 * Copies a schema of any dialect (drafts 4 to 2020-12, OpenAPI 3.0, `@adobe/data`) in 2020-12 form, with every reference
 * pointing into `$defs`. Fetches nothing, and never changes the author's schema. Leaves out unknown keywords, and values that
 * 2020-12 forbids (a negative count, a pattern that does not compile).
 *
 * @throws SchemaError for anything but a schema, and for one that is too deep, too large, or has a broken reference.
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
  // The list grows during iteration: definitions may refer to more.
  for (const { name, source, base } of walk.definitions.all) $defs[name] = copyAt(walk, toPlace(source, base))
  weigh(root, $defs)
  return { root, $defs }
}

/** The maximum of schemas applied to one value, without its parts. */
const MAX_MEETINGS = 10_000

/** Rejects exponential schemas: definitions that refer to each other twice or more take ages to check a single value. */
function weigh(root: Keywords, $defs: Readonly<Record<string, Keywords>>): void {
  const known = new Map<Keywords, number>()
  const meetings = (schema: Keywords): number => {
    const before = known.get(schema)
    if (before !== undefined) return before
    // Meeting an unfinished schema again means an endless recursion.
    known.set(schema, Number.POSITIVE_INFINITY)
    const sum = metBy(schema, $defs).reduce((all, part) => all + meetings(part), 1)
    known.set(schema, sum)
    return sum
  }
  const most = Math.max(...[root, ...Object.values($defs)].map(meetings))
  if (most === Number.POSITIVE_INFINITY) {
    const message = "a schema refers to itself without a property or item in between, which never ends"
    throw new SchemaError(message, { code: "dangling_ref" })
  }
  if (most > MAX_MEETINGS) {
    const message = `checking one value would apply ${most} schemas: expected at most ${MAX_MEETINGS}`
    throw new SchemaError(message, { code: "too_large" })
  }
}

/** Returns schemas that apply, or may apply, to the same value. */
function metBy(schema: Keywords, $defs: Readonly<Record<string, Keywords>>): readonly Keywords[] {
  const { $ref, allOf, anyOf, oneOf, not, if: when, then, else: otherwise, dependentSchemas } = schema
  const parts: unknown[] = [not, when, then, otherwise]
  if (typeof $ref === "string") parts.push($defs[$ref.slice("#/$defs/".length)])
  for (const held of [allOf, anyOf, oneOf, dependentSchemas])
    if (held !== undefined) parts.push(...Object.values(Object(held)))
  return parts.filter(isRecord)
}

interface Walk {
  readonly definitions: Definitions
  readonly maxDepth: number
  readonly maxSchemas: number
  left: number
}

/** The place of an author's schema in its copy. */
interface Place {
  readonly source: Keywords
  /** The base of its references. */
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
    const found = isRecord(subschema) ? "a library's own schema" : String(subschema)
    throw new SchemaError(`a subschema is ${found}: expected an object of JSON Schema or a boolean`, {
      code: "not_a_schema",
    })
  }
  for (let ancestor: Place | undefined = place; ancestor; ancestor = ancestor.parent) {
    if (ancestor.source === subschema) return walk.definitions.refTo(subschema, ancestor.base, subschema["title"])
  }
  return copyAt(walk, toPlace(subschema, place.base, place))
}

/**
 * Checks for a Standard Schema among JSON Schemas, which describes values differently. A library's exported schema names its
 * dialect.
 */
function isOfLibrary(schema: Keywords): boolean {
  return "~standard" in schema && !("$schema" in schema)
}

function toRef(walk: Walk, { source, base }: Place): Keywords | undefined {
  const ref = source["$ref"] ?? source["$dynamicRef"] ?? source["$recursiveRef"]
  if (typeof ref !== "string") return undefined
  const target = resolveRef(ref, base)
  return isRecord(target) ? walk.definitions.refTo(target, base, ref.split("/").at(-1)) : fromBoolean(target === true)
}

/** Checks whether keywords beside a reference are ignored, as up to draft 7. Descriptions may stay. */
function ignoresBesideRef({ source, base }: Place): boolean {
  const dialect = base["$schema"]
  return typeof source["$ref"] === "string" && typeof dialect === "string" && /draft-0[3-7]/.test(dialect)
}

function toWords({ title, description }: Keywords): Keywords {
  return { title, description }
}

/** Definitions of a copy, by name. */
interface Definitions {
  /** All definitions in the order of their first reference; grows during the walk. */
  readonly all: readonly Definition[]
  /** Returns a reference to an author's schema under `$defs`; the same schema always has the same name. */
  refTo(source: Keywords, base: Keywords, suggestion: unknown): { readonly $ref: string }
}

interface Definition {
  /** Its name in `$defs`: `[A-Za-z0-9_.-]`. */
  readonly name: string
  readonly source: Keywords
  readonly base: Keywords
}

/** Creates an empty registry of definitions. Names are assigned in order, so equal schemas get equal names. */
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
