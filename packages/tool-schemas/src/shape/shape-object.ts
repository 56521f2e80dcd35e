import { defined, type Keywords } from "../keywords/keywords.js"
import { isSource, type SchemaSource } from "../schema-source.js"
import { asJsonText } from "./json-text.js"
import { acceptsNull, toNullable } from "./nullable.js"
import { toPropertyName } from "./property-name.js"
import { requiredNames } from "./required-names.js"
import type { Restore, Shape } from "./shape.js"
import type { Site } from "./site.js"
import { describe, toWords } from "./words.js"

/** Shapes what a schema says of the properties of an object. */
export function shapeObject(schema: Keywords, site: Site): Shape {
  const isObject = [schema["type"]].flat().includes("object")
  const named = isSource(schema["properties"]) ? schema["properties"] : {}
  if (isObject && !site.profile.maps && !site.root && Object.keys(named).length === 0) return shapeMap(schema, site)
  const { names, required, beyond } = requiredNames(schema, named, site)
  const properties = Object.entries(named).map(([name, property]) => {
    const shape = site.shape(isSource(property) ? property : {}, ["properties", name], 1)
    return toProperty({ name, shape, optional: !names.includes(name) }, site)
  })
  const moved = properties.some(({ name, published }) => name !== published)
  const rest = shapeRest(withoutNamesThatMoved(schema, moved, site), site)
  return {
    schema: describe(
      defined({
        ...rest.schema,
        properties: schema["properties"] && toPublished(properties),
        required: required.length > 0 ? required : undefined,
        ...(isObject && site.profile.strict && closed(rest.schema, properties, site)),
      }),
      beyond.length > 0 ? [toWords("required", beyond)] : [],
    ),
    restore: toRestore(properties, rest.restore),
    exact: rest.exact && beyond.length === 0 && properties.every(({ shape }) => shape.exact),
  }
}

/** An object with nothing beside what it names, all of it required. */
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

/** A property as it is published. */
interface Property {
  readonly name: string
  readonly published: string
  readonly shape: Shape
  /** Whether `null` stands for leaving it out. */
  readonly nullIsNone: boolean
}

function toProperty(
  { name, shape, optional }: { readonly name: string; readonly shape: Shape; readonly optional: boolean },
  site: Site,
): Property {
  const published = site.profile.names ? name : toPropertyName(name)
  if (published !== name) site.note("rewritten", `properties/${name}`)
  const told =
    published === name ? shape : { ...shape, schema: describe(shape.schema, [`named ${JSON.stringify(name)}`]) }
  if (!optional || !site.profile.strict) return { name, published, shape: told, nullIsNone: false }
  site.note("rewritten", `properties/${name}`)
  const nullIsNone = !acceptsNull(told.schema)
  return { name, published, shape: { ...told, schema: toNullable(told.schema) }, nullIsNone }
}

/** A map, which may have any names: a list of entries, or JSON text where nothing is known of them either. */
function shapeMap(schema: Keywords, site: Site): Shape {
  const { additionalProperties: values, properties: _, required: __, ...rest } = schema
  if (values === false && site.profile.strict) {
    return { schema: { ...rest, properties: {}, required: [], additionalProperties: false }, exact: true }
  }
  if (!isSource(values) || Object.keys(values).length === 0) return asJsonText(schema, site)
  site.note("described", "additionalProperties")
  // Below the list and its entry, where the author has but the map.
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
    restore: (given) => (Array.isArray(given) ? toMap(given, value.restore) : given),
    exact: false,
  }
}

function toMap(entries: readonly unknown[], restore: Restore | undefined): unknown {
  const pairs = entries
    .filter(isSource)
    .map(({ key, value }) => [String(key), restore ? restore(value) : value] as const)
  return Object.fromEntries(pairs)
}

/** What speaks of names that are published under others goes into words: patterns and lists of names would miss them. */
function withoutNamesThatMoved(schema: Keywords, moved: boolean, site: Site): Keywords {
  if (!moved) return schema
  const speaking = [
    "patternProperties",
    "propertyNames",
    "dependentRequired",
    "dependentSchemas",
    "unevaluatedProperties",
  ]
  const given = speaking.filter((keyword) => schema[keyword] !== undefined)
  for (const keyword of given) site.note("described", keyword)
  const words = given.map((keyword) => toWords(keyword, schema[keyword]))
  const rest = Object.fromEntries(Object.entries(schema).filter(([keyword]) => !given.includes(keyword)))
  const { additionalProperties, ...open } = rest
  return describe(given.includes("patternProperties") ? open : defined({ ...open, additionalProperties }), words)
}

/** The schemas of what is not named. */
function shapeRest(schema: Keywords, site: Site): Shape {
  const shapes: [string, Shape][] = []
  const one = (keyword: string): unknown => {
    const given = schema[keyword]
    if (!isSource(given)) return given
    const shape = site.shape(given, [keyword], 1)
    shapes.push([keyword, shape])
    return shape.schema
  }
  const many = (keyword: string, levels: number): unknown => {
    const given = schema[keyword]
    if (!isSource(given)) return given
    return Object.fromEntries(
      Object.entries(given).map(([name, each]) => {
        const shape = site.shape(isSource(each) ? each : {}, [keyword, name], levels)
        shapes.push([keyword, shape])
        return [name, shape.schema]
      }),
    )
  }
  const shaped = {
    ...schema,
    additionalProperties: one("additionalProperties"),
    unevaluatedProperties: one("unevaluatedProperties"),
    propertyNames: one("propertyNames"),
    patternProperties: many("patternProperties", 1),
    dependentSchemas: many("dependentSchemas", 0),
  }
  return {
    schema: defined(shaped),
    restore: restoreRest(schema, shapes),
    exact: shapes.every(([, { exact }]) => exact),
  }
}

function restoreRest(schema: Keywords, shapes: readonly (readonly [string, Shape])[]): Restore | undefined {
  const known: SchemaSource = isSource(schema["properties"]) ? schema["properties"] : {}
  const restores = shapes.filter(([keyword]) => keyword === "additionalProperties").map(([, { restore }]) => restore)
  const [restore] = restores.filter((each) => each !== undefined)
  if (restore === undefined) return undefined
  return (value) => {
    if (!isSource(value)) return value
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [name, Object.hasOwn(known, name) ? member : restore(member)]),
    )
  }
}

function toRestore(properties: readonly Property[], rest: Restore | undefined): Restore | undefined {
  const moved = properties.filter(
    ({ name, published, shape, nullIsNone }) => name !== published || shape.restore || nullIsNone,
  )
  if (moved.length === 0) return rest
  const byPublished = new Map(moved.map((property) => [property.published, property]))
  return (value) => {
    if (!isSource(value)) return value
    const restored = Object.entries(value).flatMap(([key, member]): [string, unknown][] => {
      const property = byPublished.get(key)
      if (property === undefined) return [[key, member]]
      if (member === null && property.nullIsNone) return []
      return [[property.name, property.shape.restore ? property.shape.restore(member) : member]]
    })
    const all = Object.fromEntries(restored)
    return rest ? rest(all) : all
  }
}
