import { isRecord, stepInto } from "@x/base"
import traverse from "json-schema-traverse"
import { deepFreeze } from "../deep-freeze.js"
import type { Keywords, ObjectSchema } from "../json-schema.js"
import type { Profile } from "../profiles.js"
import { locateBy, restoreBy, sequence, type Way } from "../way.js"
import { mergeParts } from "./merge-parts.js"
import { asJsonText, shapeObject } from "./objects.js"
import { inlineRef, isWords, nameOf, openParts, shapeArray, shapeCombinators } from "./parts.js"
import { type SchemaChange, type Shape, type Site, withoutKeywords } from "./shape.js"
import { rewritePattern, rewriteValues, splitTypes, withoutOtherTypes } from "./values.js"
import { describeKeywords, describeOtherKeywords, type Reworded } from "./words.js"

/** A schema in a profile's form. */
export interface ShapedSchema {
  /** The published schema; frozen. */
  readonly schema: ObjectSchema
  /** Converts arguments back to the input. Absent when both are equal. */
  readonly way?: Way | undefined
  /** Changes, in the schema's order. */
  readonly changes: readonly SchemaChange[]
}

/** Shapes a schema with an object at its root, clean JSON Schema 2020-12, for a profile. */
export function shapeSchema(root: ObjectSchema, profile: Profile): ShapedSchema {
  const { $defs } = root
  if (profile.refs === "stay" && !ODD_NAME.test(JSON.stringify(root))) return { schema: deepFreeze(root), changes: [] }
  if (profile.refs === "stay") return shapeWhole(root, profile, new Set(Object.keys(Object($defs))))
  const inlined = shapeWhole(root, profile, new Set())
  const keep = profile.refs === "fewest" && isRecord($defs) ? keepable(root, $defs, profile) : undefined
  if (keep === undefined || keep.size === 0) return inlined
  const kept = shapeWhole(root, profile, keep)
  return sizeOf(kept.schema) < sizeOf(inlined.schema) ? kept : inlined
}

/** A property name that no client can carry. */
const ODD_NAME = /\\ud[89a-f]/

/** Returns definitions that may stay. With optional properties as null, a definition that accepts null would be ambiguous. */
function keepable(root: ObjectSchema, $defs: Keywords, { strict }: Profile): ReadonlySet<string> {
  const all = [...usedAgain(root, $defs)]
  const takesNull = (name: string): boolean => {
    const { type }: Keywords = Object($defs[name])
    return type === undefined || [type].flat().includes("null")
  }
  return new Set(strict ? all.filter((name) => !takesNull(name)) : all)
}

function sizeOf(schema: ObjectSchema): number {
  return JSON.stringify(schema).length
}

function shapeWhole(root: ObjectSchema, profile: Profile, keep: ReadonlySet<string>): ShapedSchema {
  const { $defs, ...body } = root
  const changes: SchemaChange[] = []
  const all: Shaping = {
    profile,
    definitions: isRecord($defs) ? $defs : {},
    keep,
    kept: new Map(),
    changes,
    left: { nodes: MAX_NODES, enumValues: profile.enumValues },
  }
  const { schema, way } = shapeAt(all, body, { path: "", depth: 0, around: new Map() })
  const defs = Object.fromEntries([...all.kept].map(([name, shape]) => [name, shape?.schema]))
  return {
    schema: deepFreeze({
      ...schema,
      type: "object" as const,
      properties: schema["properties"] ?? {},
      ...(all.kept.size > 0 && { $defs: defs }),
    }),
    way,
    changes,
  }
}

/** The maximum size of a schema with replaced references. Beyond it, references are described. */
const MAX_NODES = 2_000

interface Shaping {
  readonly profile: Profile
  readonly definitions: Keywords
  /** Definitions whose references stay. */
  readonly keep: ReadonlySet<string>
  /** Shapes of those definitions; `undefined` while in progress. */
  readonly kept: Map<string, Shape | undefined>
  readonly changes: SchemaChange[]
  readonly left: { nodes: number; enumValues: number }
}

interface Place {
  readonly path: string
  readonly depth: number
  /** The number of enclosing uses of each definition. */
  readonly around: ReadonlyMap<string, number>
}

function shapeAt(all: Shaping, schema: Keywords, place: Place): Shape {
  const { profile, definitions, left } = all
  left.nodes -= 1
  const kept = keepRef(all, schema, place)
  if (kept !== undefined) return kept
  const note: Site["note"] = (how, keyword) => all.changes.push({ path: place.path, keyword, how })
  const inlined = inlineRef(schema, { definitions, around: place.around, ends: left.nodes < 0 })
  if (inlined.ends) note("unrolled", "$ref")
  const opened = profile.parts === "any" ? inlined : openParts(inlined, definitions)
  const site: Site = {
    profile,
    root: place.path === "",
    note,
    left,
    resolve: (published) => {
      const { $ref } = published
      return (typeof $ref === "string" ? all.kept.get(nameOf($ref))?.schema : undefined) ?? published
    },
    shape: (below, steps, levels = 0) =>
      shapeAt(all, below, {
        path: steps.reduce(stepInto, place.path),
        depth: place.depth + levels,
        around: opened.around,
      }),
  }
  const shape = shapeNode(opened.schema, site, place.depth >= profile.depth)
  return inlined.ends ? { ...shape, exact: false } : shape
}

/** Keeps a reference to a kept definition, if only descriptions are adjacent to it. */
function keepRef(all: Shaping, { $ref, ...beside }: Keywords, place: Place): Shape | undefined {
  const name = typeof $ref === "string" ? nameOf($ref) : undefined
  const body = name === undefined ? undefined : all.definitions[name]
  if (name === undefined || !all.keep.has(name) || !isWords(beside) || !isRecord(body)) return undefined
  if (!all.kept.has(name)) {
    all.kept.set(name, undefined)
    all.kept.set(name, shapeAt(all, body, { path: `/$defs/${name}`, depth: place.depth, around: new Map() }))
  }
  const shape = all.kept.get(name)
  // The way of a recursive definition is not known yet, so it is looked up when a value arrives.
  const later: Way = {
    restore: (sent) => restoreBy(all.kept.get(name)?.way, sent),
    locate: (path, sent) => locateBy(all.kept.get(name)?.way, path, sent),
  }
  return { schema: { $ref, ...beside }, way: shape === undefined ? later : shape.way, exact: shape?.exact === true }
}

/**
 * Shapes one schema for a profile, step by step.
 *
 * @param tooDeep - Whether objects and arrays are no longer allowed here.
 */
function shapeNode(given: Keywords, site: Site, tooDeep: boolean): Shape {
  const { profile } = site
  // Values imply a type, which must agree with the parts; and the parts may add values.
  const valued = rewriteValues(rewritePattern(withType(given, site), site), site)
  const merged = mergeParts(valued, site)
  const written = splitTypes(merged === valued ? valued : rewriteValues(rewritePattern(merged, site), site), site)
  if (tooDeep && holdsMore(written)) return asJsonText(given, site)
  const schema = profile.typed ? toOneKind(written, site) : written
  if (profile.types === "nullable" && schema["type"] === "null") return asNullText(given, site)
  if (profile.typed && schema["type"] === undefined && !Array.isArray(schema["anyOf"])) return asJsonText(given, site)
  // Each step reads the previous one's result for its own keywords only.
  const combined = shapeCombinators(schema, site)
  const listed = shapeArray(combined.schema, site)
  const shaped = shapeObject(listed.schema, site)
  const all = combined.exact && listed.exact && shaped.exact
  const { schema: open, exact } = withoutUnevaluated(shapeContent(shaped.schema, site), all, site)
  const kept = describeOtherKeywords(open, site)
  return {
    schema: kept.schema,
    way: sequence([shaped.way, listed.way, combined.way]),
    exact: exact && kept.exact,
  }
}

/** Requests text for `null` when the profile has no null type. */
function asNullText(schema: Keywords, site: Site): Shape {
  const text = asJsonText(schema, site)
  return { ...text, schema: { ...text.schema, nullable: true } }
}

/** Shapes the schema of a text's content. If values in it would need restoring, it is described instead. */
function shapeContent(schema: Keywords, site: Site): Keywords {
  const { contentSchema } = schema
  if (!isRecord(contentSchema)) return schema
  const shape = site.shape(contentSchema, ["contentSchema"])
  return shape.way === undefined
    ? { ...schema, contentSchema: shape.schema }
    : describeKeywords(schema, ["contentSchema"], site).schema
}

/** Adds a type that other keywords imply, when a profile requires one. */
function withType(schema: Keywords, { profile }: Site): Keywords {
  if (!profile.typed || ["type", "enum", "const"].some((keyword) => schema[keyword] !== undefined)) return schema
  if (isRecord(schema["properties"])) return { type: "object", ...schema }
  return schema["items"] !== undefined || schema["prefixItems"] !== undefined ? { type: "array", ...schema } : schema
}

/** Reduces a schema to its alternatives or a single type, when every schema needs a type; other keywords are described. */
function toOneKind(schema: Keywords, site: Site): Keywords {
  const choices = ["anyOf", "oneOf"].filter((keyword) => schema[keyword] !== undefined)
  const [only] = choices
  if (only === undefined) return withoutOtherTypes(schema)
  if (schema["type"] !== undefined || choices.length > 1)
    return withoutOtherTypes(describeKeywords(schema, choices, site).schema)
  const stay = ["title", "description", "nullable", only]
  const others = Object.keys(schema).filter((keyword) => !stay.includes(keyword))
  const alone = describeKeywords(schema, others, site).schema
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

/**
 * Removes unevaluated keywords when others have been moved into the description, or when every list needs a schema of its
 * items.
 */
function withoutUnevaluated(schema: Keywords, exact: boolean, site: Site): Reworded {
  const closing = exact
    ? site.profile.tuples
      ? []
      : ["unevaluatedItems"]
    : ["unevaluatedProperties", "unevaluatedItems"]
  const lost = closing.filter((keyword) => schema[keyword] !== undefined)
  for (const keyword of lost) site.note("described", keyword)
  return { schema: lost.length === 0 ? schema : withoutKeywords(schema, lost), exact: exact && lost.length === 0 }
}

/** Returns definitions that are used more than once, or recursively. */
function usedAgain(root: Keywords, $defs: Keywords): ReadonlySet<string> {
  const refs = new Map(Object.entries($defs).map(([name, definition]) => [name, refsIn(definition)] as const))
  const uses = new Map<string, number>()
  for (const name of refsIn(root)) uses.set(name, (uses.get(name) ?? 0) + 1)
  const isHeld = (name: string): boolean => {
    const seen = new Set<string>()
    const queue = [...(refs.get(name) ?? [])]
    for (const next of queue) {
      if (next === name) return true
      if (!seen.has(next)) queue.push(...(refs.get(next) ?? []))
      seen.add(next)
    }
    return false
  }
  return new Set([...refs.keys()].filter((name) => (uses.get(name) ?? 0) > 1 || isHeld(name)))
}

/** Returns the names of a schema's referenced definitions, with repetitions. Values that look like references do not count. */
function refsIn(schema: unknown): readonly string[] {
  const names: string[] = []
  const schemas = [schema].filter(isRecord)
  // The list grows during iteration: these keywords contain further schemas, which the library does not visit.
  for (const next of schemas) {
    traverse(next, (node: Keywords) => {
      const { $ref, prefixItems, dependentSchemas, unevaluatedItems, unevaluatedProperties, contentSchema } = node
      if (typeof $ref === "string") names.push(nameOf($ref))
      const further = [...Object.values(prefixItems ?? {}), ...Object.values(dependentSchemas ?? {})]
      schemas.push(...[...further, unevaluatedItems, unevaluatedProperties, contentSchema].filter(isRecord))
    })
  }
  return names
}
