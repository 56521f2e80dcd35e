import { deepFreeze } from "../deep-freeze.js"
import { isRecord } from "../json/json-value.js"
import { stepInto } from "../json/pointer.js"
import type { Keywords, ObjectSchema } from "../json-schema.js"
import type { Profile } from "../profiles.js"
import { sequence, type Way } from "../way.js"
import { asJsonText, shapeObject } from "./objects.js"
import { mergeAll, shapeArray, shapeCombinators } from "./parts.js"
import { type SchemaChange, type Shape, type Site, without } from "./shape.js"
import { rewriteValues, splitTypes, withoutOtherTypes } from "./values.js"
import { describe, drop, dropOthers } from "./words.js"

/** A schema as a profile has it. */
export interface ShapedSchema {
  /** What is published; frozen. */
  readonly schema: ObjectSchema
  /** The way back; absent where the arguments are the input as they come. */
  readonly way?: Way | undefined
  /** What was done, in the order of the schema. */
  readonly changes: readonly SchemaChange[]
}

/** Puts a schema with an object at its root, clean JSON Schema 2020-12, into the form that a profile takes. */
export function shapeSchema(root: ObjectSchema, profile: Profile): ShapedSchema {
  if (profile.refs) return { schema: deepFreeze(root), changes: [] }
  const { $defs, ...body } = root
  const changes: SchemaChange[] = []
  const all: Shaping = {
    profile,
    definitions: isRecord($defs) ? $defs : {},
    careful: holds(root, "unevaluatedItems"),
    changes,
    left: { nodes: MAX_NODES, enumValues: profile.enumValues },
  }
  const { schema, way } = shapeAt(all, body, { path: "", depth: 0, around: new Map() })
  return {
    schema: deepFreeze({ ...schema, type: "object" as const, properties: schema["properties"] ?? {} }),
    way,
    changes,
  }
}

/** How large a schema may get when what it refers to stands in it; beyond, references end in words. */
const MAX_NODES = 2_000

interface Shaping {
  readonly profile: Profile
  readonly definitions: Keywords
  readonly careful: boolean
  readonly changes: SchemaChange[]
  readonly left: { nodes: number; enumValues: number }
}

interface Place {
  readonly path: string
  readonly depth: number
  /** How often each definition is around it. */
  readonly around: ReadonlyMap<string, number>
}

/** Whether a keyword stands anywhere in a tree. */
function holds(tree: unknown, keyword: string): boolean {
  if (typeof tree !== "object" || tree === null) return false
  if (Object.hasOwn(tree, keyword)) return true
  for (const value of Object.values(tree)) if (holds(value, keyword)) return true
  return false
}

function shapeAt(all: Shaping, schema: Keywords, place: Place): Shape {
  const { profile, careful, definitions, left } = all
  left.nodes -= 1
  const note: Site["note"] = (how, keyword) => all.changes.push({ path: place.path, keyword, how })
  const inlined = inlineRef(schema, { definitions, around: place.around, ends: left.nodes < 0 })
  if (inlined.ends) note("unrolled", "$ref")
  const site: Site = {
    profile,
    root: place.path === "",
    careful,
    note,
    left,
    shape: (below, steps, levels = 0) =>
      shapeAt(all, below, {
        path: steps.reduce(stepInto, place.path),
        depth: place.depth + levels,
        around: inlined.around,
      }),
  }
  const shape = shapeNode(inlined.schema, site, place.depth >= profile.depth)
  return inlined.ends ? { ...shape, exact: false } : shape
}

/** What stands in the place of a reference. */
interface InlinedRef {
  /** What it refers to, with what stands beside it; the schema itself where it refers to nothing. */
  readonly schema: Keywords
  /** How often each definition is around what stands below. */
  readonly around: ReadonlyMap<string, number>
  /** Whether it ended, because the definition holds itself or all has become too much. */
  readonly ends: boolean
}

interface InlineOptions {
  /** What there is to refer to. */
  readonly definitions: Keywords
  /** How often each definition is around the reference. */
  readonly around: ReadonlyMap<string, number>
  /** Whether it is to end, whatever it refers to. */
  readonly ends: boolean
}

/** Puts what a schema refers to in its place; what holds itself is unrolled for some levels, and then only said. */
function inlineRef(schema: Keywords, { definitions, around, ends }: InlineOptions): InlinedRef {
  if (typeof schema["$ref"] !== "string") return { schema, around, ends: false }
  const { $ref, ...beside } = schema
  const name = schema["$ref"].slice("#/$defs/".length)
  const target = Object.hasOwn(definitions, name) ? definitions[name] : undefined
  const body = isRecord(target) ? target : {}
  const times = around.get(name) ?? 0
  if (ends || times >= UNROLLED) {
    const { type } = body
    const leaf = typeof type === "string" ? { ...beside, type } : beside
    return { schema: describe(leaf, ["nested further in the same way"]), around, ends: true }
  }
  const inner = new Map(around).set(name, times + 1)
  return inlineRef(withBeside(body, beside), { definitions, around: inner, ends })
}

/** How many levels of what holds itself are spelled out. */
const UNROLLED = 2

/** Words beside a reference go before those of what it refers to; anything else has to hold as well. */
function withBeside(body: Keywords, beside: Keywords): Keywords {
  const isWords = Object.keys(beside).every((keyword) => keyword === "title" || keyword === "description")
  return isWords ? { ...body, ...beside } : { ...beside, allOf: [body, ...[beside["allOf"] ?? []].flat()] }
}

/**
 * Puts one schema into the form that a profile takes, step by step.
 *
 * @param tooDeep - Whether no object or array may stand here any more.
 */
function shapeNode(given: Keywords, site: Site, tooDeep: boolean): Shape {
  const { profile } = site
  // Values tell a type, which has to agree with that of the parts; and the parts may bring values.
  const valued = rewriteValues(withType(given, site), site)
  const merged = mergeAll(valued, site)
  const written = splitTypes(merged === valued ? valued : rewriteValues(merged, site), site)
  if (tooDeep && holdsMore(written)) return asJsonText(given, site)
  const schema = profile.typed ? toOneKind(written, site) : written
  if (profile.typed && schema["type"] === undefined && !Array.isArray(schema["anyOf"])) return asJsonText(given, site)
  // Each step sees what the one before made of its own keywords, and leaves the others alone.
  const combined = shapeCombinators(schema, site)
  const listed = shapeArray(combined.schema, site)
  const shaped = shapeObject(listed.schema, site)
  const exact = combined.exact && listed.exact && shaped.exact
  const kept = dropOthers(exact ? shaped.schema : withoutUnevaluated(shaped.schema, site), site)
  return {
    schema: kept.schema,
    way: sequence([shaped.way, listed.way, combined.way]),
    exact: exact && kept.exact,
  }
}

/** What says nothing of its type can say it by its keywords, where a profile wants one. */
function withType(schema: Keywords, { profile }: Site): Keywords {
  if (!profile.typed || schema["type"] !== undefined) return schema
  if (isRecord(schema["properties"])) return { type: "object", ...schema }
  return schema["items"] !== undefined || schema["prefixItems"] !== undefined ? { type: "array", ...schema } : schema
}

/** Where every schema has a type, alternatives stand alone, and nothing is said of other types; the rest goes into words. */
function toOneKind(schema: Keywords, site: Site): Keywords {
  const choices = ["anyOf", "oneOf"].filter((keyword) => schema[keyword] !== undefined)
  const [only] = choices
  if (only === undefined) return withoutOtherTypes(schema)
  if (schema["type"] !== undefined || choices.length > 1) return withoutOtherTypes(drop(schema, choices, site).schema)
  const stay = ["title", "description", "nullable", only]
  const others = Object.keys(schema).filter((keyword) => !stay.includes(keyword))
  const alone = drop(schema, others, site).schema
  return only === "oneOf" ? toAnyOf(alone, site) : alone
}

function toAnyOf(schema: Keywords, site: Site): Keywords {
  const { oneOf: anyOf, ...rest } = schema
  site.note("described", "oneOf")
  return { ...rest, anyOf }
}

function holdsMore(schema: Keywords): boolean {
  return [schema["type"]].flat().some((type) => type === "object" || type === "array") || schema["anyOf"] !== undefined
}

/** What closes over all that is said of a value has no meaning where some of that has become words. */
function withoutUnevaluated(schema: Keywords, site: Site): Keywords {
  const lost = ["unevaluatedProperties", "unevaluatedItems"].filter((keyword) => schema[keyword] !== undefined)
  for (const keyword of lost) site.note("described", keyword)
  return lost.length === 0 ? schema : without(schema, lost)
}
