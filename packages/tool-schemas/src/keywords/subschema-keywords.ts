import { SchemaError } from "../schema-error.js"
import { isSource, type SchemaSource } from "../schema-source.js"
import { defined, type Keywords, type Publish } from "./keywords.js"
import { isPattern } from "./string-keywords.js"

/**
 * Everything that holds schemas. Empty combinators and branches without an `if` are dropped: they say nothing, and
 * strict validators refuse them. Booleans stay only where they close an object or a list: some clients refuse a whole list of
 * tools for one elsewhere.
 */
export function subschemaKeywords(source: SchemaSource, publish: Publish): Keywords {
  const one = (keyword: string) => (source[keyword] === undefined ? undefined : publish(source[keyword]))
  const rest = (keyword: string) => (typeof source[keyword] === "boolean" ? source[keyword] : one(keyword))
  const all = (keyword: string) => toList(source[keyword], publish)
  const named = (keyword: string) => toNamed(source, keyword, publish)
  // An empty enum lets nothing in, and may not be published as it is.
  const nothing = Array.isArray(source["enum"]) && source["enum"].length === 0
  return defined({
    properties: named("properties"),
    patternProperties: named("patternProperties"),
    additionalProperties: rest("additionalProperties"),
    propertyNames: one("propertyNames"),
    dependentSchemas: toDependent(source, publish),
    unevaluatedProperties: rest("unevaluatedProperties"),
    ...itemKeywords(source, publish),
    contains: one("contains"),
    unevaluatedItems: rest("unevaluatedItems"),
    allOf: all("allOf"),
    anyOf: all("anyOf"),
    oneOf: all("oneOf"),
    not: nothing ? {} : one("not"),
    ...conditionKeywords(source, publish),
    contentSchema: one("contentSchema"),
  })
}

/** Up to draft 7, `dependencies` held them, beside lists of names. */
function toDependent(source: SchemaSource, publish: Publish): unknown {
  const { dependencies, dependentSchemas } = source
  if (!isSource(dependencies)) return toNamed(source, "dependentSchemas", publish)
  const schemas = Object.entries(dependencies).filter(([, each]) => !Array.isArray(each))
  const all = { ...Object.fromEntries(schemas), ...(isSource(dependentSchemas) && dependentSchemas) }
  return Object.keys(all).length === 0 ? undefined : toNamed({ all }, "all", publish)
}

/** Up to draft 2019-09, a list in `items` was what `prefixItems` is now, and `additionalItems` what `items` is. */
function itemKeywords({ items, prefixItems, additionalItems }: SchemaSource, publish: Publish): Keywords {
  const first = Array.isArray(items) ? items : prefixItems
  const others = Array.isArray(items) ? additionalItems : items
  return {
    prefixItems: toList(first, publish),
    items: typeof others === "boolean" || others === undefined ? others : publish(others),
  }
}

/** An `if` alone refuses nothing, yet what it names counts as evaluated; strict validators want a branch beside it. */
function conditionKeywords(source: SchemaSource, publish: Publish): Keywords {
  if (source["if"] === undefined) return {}
  const parts = ["if", "then", "else"].filter((keyword) => source[keyword] !== undefined)
  const published = Object.fromEntries(parts.map((keyword) => [keyword, publish(source[keyword])]))
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  return parts.length > 1 ? published : { ...published, then: {} }
}

function toList(schemas: unknown, publish: Publish): unknown {
  return Array.isArray(schemas) && schemas.length > 0 ? schemas.map(publish) : undefined
}

function toNamed(source: SchemaSource, keyword: string, publish: Publish): unknown {
  const schemas = source[keyword]
  if (schemas === undefined) return undefined
  if (!isSource(schemas))
    throw new SchemaError(`${keyword} is ${String(schemas)}: expected an object`, { code: "not_a_schema" })
  const isPublished = ([name, schema]: readonly [string, unknown]) =>
    schema !== undefined && (keyword !== "patternProperties" || isPattern(name))
  const entries = Object.entries(schemas).filter(isPublished)
  // Not an object literal's work: a property may be called __proto__.
  return Object.fromEntries(entries.map(([name, schema]) => [name, publish(schema)]))
}
