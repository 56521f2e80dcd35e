import { isRecord, shortHash, toWellFormed } from "@x/base"
import type { Keywords } from "../json-schema.js"
import { jsonTextWay } from "../json-text.js"
import type { Profile } from "../profiles.js"
import { locateBy, memberAt, membersWay, restoreBy, sequence, type Way } from "../way.js"
import { defined, type Shape, type Site, withoutKeywords } from "./shape.js"
import { acceptsNull, toNullable } from "./values.js"
import { brief, describe, describeKeywords, takesPattern, toWords } from "./words.js"

/** Shapes a schema's keywords about an object's properties. */
export function shapeObject(schema: Keywords, site: Site): Shape {
  const { type, properties: named } = schema
  const isObject = type === "object" || (Array.isArray(type) && type.includes("object"))
  if (!isObject && !OF_OBJECTS.some((keyword) => schema[keyword] !== undefined)) return { schema, exact: true }
  const hasNames = isRecord(named) && Object.keys(named).length > 0
  if (isObject && !site.profile.maps && !site.root && !hasNames) return shapeMap(schema, site)
  return shapeNamed(isObject ? nameRequired(schema, site) : schema, isObject && site.profile.strict, site)
}

/** Names required properties without a schema, because clients do not send unknown ones. */
function nameRequired(schema: Keywords, { profile }: Site): Keywords {
  const { required, properties = {}, additionalProperties: others, unevaluatedProperties: rest } = schema
  // A named property escapes the schema of the others, which patterns may or may not have done for it.
  const isUnclear = isRecord(others) && Object.keys(Object(schema["patternProperties"])).length > 0
  const canName = profile.maps && profile.refs !== "stay" && others !== false && rest === undefined && !isUnclear
  if (!canName || !Array.isArray(required) || !isRecord(properties)) return schema
  const unnamed = required.filter((name) => {
    return typeof name === "string" && !Object.hasOwn(properties, name) && toPropertyName(name, profile) === name
  })
  if (unnamed.length === 0) return schema
  const property = isRecord(others) ? others : {}
  return { ...schema, properties: { ...properties, ...Object.fromEntries(unnamed.map((name) => [name, property])) } }
}

const OF_OBJECTS = [
  ...["properties", "required", "additionalProperties", "unevaluatedProperties", "propertyNames"],
  ...["patternProperties", "dependentSchemas"],
]

function shapeNamed(schema: Keywords, isClosed: boolean, site: Site): Shape {
  const named = isRecord(schema["properties"]) ? schema["properties"] : {}
  const { names, required, beyond } = requiredNames(schema, named, site)
  const properties = Object.entries(named).map(([name, property]) => {
    const shape = site.shape(isRecord(property) ? property : {}, ["properties", name], 1)
    return toProperty({ name, shape, optional: !names.includes(name) }, site)
  })
  const moved = properties.some(({ name, published }) => name !== published) || !takesPatterns(schema, site)
  const rest = shapeRest(moved ? withoutNames(schema, site) : schema, named, site)
  return {
    schema: describe(
      defined({
        ...rest.schema,
        properties: schema["properties"] && toPublished(properties),
        required: required.length > 0 ? required : undefined,
        ...(isClosed && closed(rest.schema, properties, site)),
      }),
      beyond.length > 0 ? [toWords("required", beyond)] : [],
    ),
    way: sequence([namesWay(properties), rest.way]),
    exact: rest.exact && beyond.length === 0 && properties.every(({ shape }) => shape.exact),
  }
}

/** The required properties of an object. */
interface RequiredNames {
  /** The author's names. */
  readonly names: readonly unknown[]
  /** The published names. */
  readonly required: readonly unknown[]
  /** Names that only the description can carry: the profile forbids them, and no property has them, which would be renamed. */
  readonly beyond: readonly unknown[]
}

function requiredNames(schema: Keywords, named: Keywords, { profile, note }: Site): RequiredNames {
  const names: readonly unknown[] = Array.isArray(schema["required"]) ? schema["required"] : []
  const publish = (name: unknown): unknown => toPropertyName(String(name), profile)
  const beyond = names.filter(
    (name) => !Object.hasOwn(named, String(name)) && (!profile.maps || publish(name) !== name),
  )
  if (beyond.length > 0) note("described", "required")
  const said = beyond.length > 0 ? names.filter((name) => !beyond.includes(name)) : names
  return { names, required: said.map(publish), beyond }
}

/** Returns a property name that the profile's clients accept: the name itself, or its legal part with a hash of the whole. */
function toPropertyName(name: string, { names, refs }: Profile): string {
  // Libraries lose this name when they copy objects.
  const isLost = name === "__proto__" && refs !== "stay"
  const isTaken = !isLost && (names ? toWellFormed(name) === name : /^[A-Za-z0-9_.-]{1,64}$/.test(name))
  return isTaken ? name : `${name.replace(/[^A-Za-z0-9_.-]+/g, "_").slice(0, 50)}_${shortHash([name])}`
}

/** Closes an object: only named properties, all required. */
function closed(schema: Keywords, properties: readonly Property[], site: Site): Keywords {
  const { additionalProperties } = schema
  if (additionalProperties !== false && additionalProperties !== undefined)
    site.note("described", "additionalProperties")
  const all = { properties: toPublished(properties), required: properties.map(({ published }) => published) }
  return { ...all, additionalProperties: false }
}

function toPublished(properties: readonly Property[]): Keywords {
  return Object.fromEntries(properties.map(({ published, shape }) => [published, shape.schema]))
}

/** A published property. */
interface Property {
  readonly name: string
  readonly published: string
  readonly shape: Shape
  /** Whether `null` means omission. */
  readonly nullIsNone: boolean
}

function toProperty(
  { name, shape, optional }: { readonly name: string; readonly shape: Shape; readonly optional: boolean },
  site: Site,
): Property {
  const published = toPropertyName(name, site.profile)
  if (published !== name) site.note("rewritten", `properties/${name}`)
  const told =
    published === name ? shape : { ...shape, schema: describe(shape.schema, [`named ${JSON.stringify(name)}`]) }
  if (!optional || !site.profile.strict) return { name, published, shape: told, nullIsNone: false }
  site.note("rewritten", `properties/${name}`)
  const nullIsNone = !acceptsNull(told.schema)
  return { name, published, shape: { ...told, schema: toNullable(told.schema) }, nullIsNone }
}

/** Restores original property names, and omits properties sent as a meaningless `null`. */
function namesWay(properties: readonly Property[]): Way | undefined {
  const moved = properties.filter(({ name, published, shape, nullIsNone }) => {
    return name !== published || shape.way !== undefined || nullIsNone
  })
  if (moved.length === 0) return undefined
  const byPublished = new Map(moved.map((property) => [property.published, property]))
  const byName = new Map(moved.map((property) => [property.name, property]))
  return {
    restore(sent) {
      if (!isRecord(sent)) return sent
      const restored = Object.entries(sent).flatMap(([key, member]): [string, unknown][] => {
        const property = byPublished.get(key)
        if (property === undefined) return [[key, member]]
        if (member === null && property.nullIsNone) return []
        return [[property.name, restoreBy(property.shape.way, member)]]
      })
      return Object.fromEntries(restored)
    },
    locate(path, sent) {
      const [key, ...below] = path
      const property = byName.get(String(key))
      if (property === undefined || !isRecord(sent)) return path
      const { published, name, shape } = property
      // A client may have used the original name, which means the same.
      const isOwn = !Object.hasOwn(sent, published) && Object.hasOwn(sent, name)
      if (isOwn) return path
      return [published, ...locateBy(shape.way, below, memberAt(sent, published))]
    },
  }
}

function takesPatterns({ patternProperties }: Keywords, { profile }: Site): boolean {
  // Grammars ignore these patterns; only pattern engines read them.
  const patterns = profile.patterns === "plain" ? "regular" : profile.patterns
  return (
    !isRecord(patternProperties) || Object.keys(patternProperties).every((name) => takesPattern(name, { patterns }))
  )
}

/** Moves keywords about renamed properties into the description, because patterns and lists of names would miss them. */
function withoutNames(schema: Keywords, site: Site): Keywords {
  const speaking = [
    ...["patternProperties", "propertyNames", "dependentRequired", "dependentSchemas", "unevaluatedProperties"],
  ]
  const given = speaking.filter((keyword) => schema[keyword] !== undefined)
  const open = describeKeywords(schema, given, site).schema
  return given.includes("patternProperties") ? withoutKeywords(open, ["additionalProperties"]) : open
}

/** Shapes the schemas of unnamed properties. Keywords whose members could not be restored are described instead. */
function shapeRest(schema: Keywords, named: Keywords, site: Site): Shape {
  const shaped: Record<string, unknown> = { ...schema }
  let exact = true
  let others: Way | undefined
  const lost: string[] = []
  for (const keyword of OF_REST) {
    const shapes = shapesOf(keyword, schema[keyword], site)
    if (shapes === undefined) continue
    const each = Object.values(shapes)
    exact &&= each.every((shape) => shape.exact)
    const way = each.map((shape) => shape.way).find((one) => one !== undefined)
    if (keyword === "additionalProperties") others = way
    else if (way !== undefined) lost.push(keyword)
    shaped[keyword] = MAPS.includes(keyword) ? toSchemas(shapes) : each[0]?.schema
  }
  const wayOf = (name: string): Way | undefined => (Object.hasOwn(named, name) ? undefined : others)
  const told = describeKeywords({ ...shaped, ...pick(schema, lost) }, lost, site)
  return {
    schema: lost.includes("patternProperties") ? withoutKeywords(told.schema, ["additionalProperties"]) : told.schema,
    way: others && membersWay(wayOf),
    exact: exact && told.exact,
  }
}

const MAPS = ["patternProperties", "dependentSchemas"]
const OF_REST = ["additionalProperties", "unevaluatedProperties", "propertyNames", ...MAPS]

/** Shapes one keyword's schemas, by name if they have names. */
function shapesOf(keyword: string, given: unknown, site: Site): Readonly<Record<string, Shape>> | undefined {
  if (!isRecord(given)) return undefined
  if (!MAPS.includes(keyword)) return { only: site.shape(given, [keyword], 1) }
  const levels = keyword === "dependentSchemas" ? 0 : 1
  const entries = Object.entries(given).map(([name, each]) => {
    return [name, site.shape(isRecord(each) ? each : {}, [keyword, name], levels)] as const
  })
  return Object.fromEntries(entries)
}

function toSchemas(shapes: Readonly<Record<string, Shape>>): Keywords {
  return Object.fromEntries(Object.entries(shapes).map(([name, { schema }]) => [name, schema]))
}

function pick(schema: Keywords, keywords: readonly string[]): Keywords {
  return Object.fromEntries(keywords.map((keyword) => [keyword, schema[keyword]]))
}

/** Shapes a map, which may have any names: a list of entries, or JSON text without a schema of its values. */
function shapeMap(schema: Keywords, site: Site): Shape {
  const { additionalProperties: values, properties: _, required: __, ...rest } = schema
  if (values === false && site.profile.strict) {
    return { schema: { ...rest, properties: {}, required: [], additionalProperties: false }, exact: true }
  }
  if (!isRecord(values) || Object.keys(values).length === 0) return asJsonText(schema, site)
  site.note("described", "additionalProperties")
  // The list and its entry add two levels to the author's map.
  const value = site.shape(values, ["additionalProperties"], 2)
  const entry = {
    type: "object",
    properties: { key: { type: "string" }, value: value.schema },
    required: ["key", "value"],
    ...(site.profile.strict && { additionalProperties: false }),
  }
  const { type: ___, minProperties, maxProperties, ...told } = rest
  return {
    schema: describe(
      defined({ ...told, type: "array", items: entry, minItems: minProperties, maxItems: maxProperties }),
      ["a map, as a list of its entries"],
    ),
    way: entriesWay(value.way),
    exact: false,
  }
}

/** Creates a way that converts a list of entries to its map; the last entry of a key wins. */
function entriesWay(way: Way | undefined): Way {
  return {
    restore(sent) {
      if (!Array.isArray(sent)) return sent
      const pairs = sent.filter(isRecord).map(({ key, value }) => [String(key), restoreBy(way, value)] as const)
      return Object.fromEntries(pairs)
    },
    locate(path, sent) {
      const [key, ...below] = path
      if (key === undefined || !Array.isArray(sent)) return path
      const index = sent.findLastIndex((entry) => isRecord(entry) && String(entry["key"]) === String(key))
      return index === -1 ? [] : [index, "value", ...locateBy(way, below, memberAt(sent[index], "value"))]
    },
  }
}

/** Requests JSON text, when a profile cannot express a schema. Invalid JSON is passed on unchanged. */
export function asJsonText(schema: Keywords, site: Site): Shape {
  site.note("described", "")
  const { title, description, ...rest } = schema
  const words = ["as JSON text", Object.keys(rest).length > 0 ? `its JSON Schema: ${brief(rest)}` : undefined]
  return { schema: describe(defined({ type: "string", title, description }), words), way: jsonTextWay, exact: false }
}
