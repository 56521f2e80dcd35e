import traverse from "json-schema-traverse"
import { cleanSchema } from "./clean-schema.js"
import { createDefinitions, type Definitions } from "./definitions.js"
import type { Keywords, Publish } from "./keywords/keywords.js"
import { resolveRef } from "./resolve-ref.js"
import { SchemaError } from "./schema-error.js"
import { isSource, type SchemaSource } from "./schema-source.js"

/** A schema made ready to be published, not yet an object at its root. */
export interface WalkedSchema {
  /** The schema itself; what it refers to is in `$defs`. */
  readonly body: Keywords
  /** What is referred to: local references of every form, and objects that hold themselves. */
  readonly $defs: Keywords
}

/**
 * Copies a schema keyword by keyword, cleaned, and never changes it. References are followed within `base`.
 *
 * @throws SchemaError for what is no schema, too deep (64), too large (10,000 schemas) or refers to what is not there.
 */
export function walkSchema(source: SchemaSource, base: SchemaSource = source): WalkedSchema {
  const definitions = createDefinitions()
  const walk: Walk = { places: new WeakMap(), definitions, left: MAX_SCHEMAS }
  const body = publishAt(walk, toPlace(source, base))
  const $defs: [string, object][] = []
  // Grows as it goes: a definition may refer to further ones.
  for (const { name, source, base } of definitions.all) {
    $defs.push([name, publishAt(walk, toPlace(source, base))])
  }
  return { body, $defs: Object.fromEntries($defs) }
}

const MAX_DEPTH = 64
const MAX_SCHEMAS = 10_000

/** The keywords that hold schemas and that json-schema-traverse does not know: it is called again for those. */
const BEYOND_TRAVERSE = [
  "prefixItems",
  "dependentSchemas",
  "unevaluatedItems",
  "unevaluatedProperties",
  "contentSchema",
]

interface Walk {
  /** Where each copy that is not filled yet comes from. */
  readonly places: WeakMap<object, Place>
  readonly definitions: Definitions
  left: number
}

/** Where an author's schema stands in the published tree. */
interface Place {
  readonly source: SchemaSource
  /** The schema that references within it start from. */
  readonly base: SchemaSource
  readonly parent: Place | undefined
  readonly depth: number
}

function toPlace(source: SchemaSource, base: SchemaSource, parent?: Place): Place {
  const isResource = typeof source["$id"] === "string" && !source["$id"].startsWith("#")
  return { source, base: isResource ? source : base, parent, depth: parent ? parent.depth + 1 : 0 }
}

function publishAt(walk: Walk, place: Place): Keywords {
  const copy = reserve(walk, place)
  traverse(copy, (node: object) => fill(walk, node))
  return copy
}

/** Gives an empty copy its place; it is filled when the traversal reaches it. */
function reserve(walk: Walk, place: Place): Keywords {
  walk.left -= 1
  if (walk.left < 0) throw new SchemaError(`the schema has more than ${MAX_SCHEMAS} subschemas`, { code: "too_large" })
  if (place.depth > MAX_DEPTH)
    throw new SchemaError(`the schema is nested more than ${MAX_DEPTH} deep`, { code: "too_deep" })
  const copy = {}
  walk.places.set(copy, place)
  return copy
}

function fill(walk: Walk, copy: object): void {
  const place = walk.places.get(copy)
  if (place === undefined) return
  const publish: Publish = (subschema) => publishSubschema(walk, place, subschema)
  const ref = toRef(walk, place)
  Object.assign(copy, cleanSchema(ignoresBesideRef(place) ? toAnnotations(place.source) : place.source, publish), ref)
  for (const keyword of BEYOND_TRAVERSE) {
    const value: unknown = Reflect.get(copy, keyword)
    const children = keyword === "dependentSchemas" || keyword === "prefixItems" ? Object.values(value ?? {}) : [value]
    for (const child of children.filter(isSource)) traverse(child, (node: object) => fill(walk, node))
  }
}

function publishSubschema(walk: Walk, place: Place, subschema: unknown): object {
  if (typeof subschema === "boolean") return fromBoolean(subschema)
  if (!isSource(subschema)) {
    throw new SchemaError(`a subschema is ${String(subschema)}: expected an object or a boolean`, {
      code: "not_a_schema",
    })
  }
  for (let ancestor: Place | undefined = place; ancestor; ancestor = ancestor.parent) {
    if (ancestor.source === subschema) return walk.definitions.refTo(subschema, ancestor.base, subschema["title"])
  }
  return reserve(walk, toPlace(subschema, place.base, place))
}

function toRef(walk: Walk, { source, base }: Place): object {
  const { $ref, $dynamicRef, $recursiveRef } = source
  const ref = $ref ?? $dynamicRef ?? $recursiveRef
  if (typeof ref !== "string") return {}
  const target = resolveRef(ref, base)
  return isSource(target) ? walk.definitions.refTo(target, base, ref.split("/").at(-1)) : fromBoolean(target === true)
}

/** Up to draft 7, what stood beside a reference said nothing; what it tells people may stay. */
function ignoresBesideRef({ source, base }: Place): boolean {
  const dialect = base["$schema"]
  return typeof source["$ref"] === "string" && typeof dialect === "string" && /draft-0[3-7]/.test(dialect)
}

function toAnnotations({ title, description }: SchemaSource): SchemaSource {
  return { ...(title !== undefined && { title }), ...(description !== undefined && { description }) }
}

function fromBoolean(schema: boolean): object {
  return schema ? {} : { not: {} }
}
