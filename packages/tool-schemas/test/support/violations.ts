import { isRecord } from "@x/base"
import type { Keywords } from "../../src/json-schema.js"
import type { SchemaPlace, Vendor } from "./vendor-rule.js"
import { VENDOR_RULES } from "./vendor-rules.js"

/** Returns a vendor's objections to a schema, each with place and source; empty when accepted. */
export function violations(vendor: Vendor, schema: Keywords): readonly string[] {
  const broken: string[] = []
  const visit = (node: unknown, place: SchemaPlace): void => {
    const keywords = isRecord(node) ? node : { boolean: node }
    const refused = VENDOR_RULES[vendor].filter(({ refuses }) => refuses(keywords, place))
    broken.push(...refused.map(({ wants, source }) => `${place.path}: ${wants} (${source})`))
    if (isRecord(node)) for (const [child, at] of below(node, place)) visit(child, at)
  }
  visit(schema, { path: "", keyword: "", level: 0 })
  const whole = vendor === "openai-strict" ? strictSizes(schema) : []
  return [...broken, ...whole]
}

/** Returns violated limits of structured outputs that concern a whole schema. */
function strictSizes(schema: Keywords): readonly string[] {
  let properties = 0
  let values = 0
  const visit = (node: unknown, place: SchemaPlace): void => {
    if (!isRecord(node)) return
    properties += isRecord(node["properties"]) ? Object.keys(node["properties"]).length : 0
    values += Array.isArray(node["enum"]) ? node["enum"].length : 0
    for (const [child, at] of below(node, place)) visit(child, at)
  }
  visit(schema, { path: "", keyword: "", level: 0 })
  return [
    ...(properties > 5000 ? [`at most 5,000 properties (OpenAI, structured outputs)`] : []),
    ...(values > 1000 ? [`at most 1,000 enum values (OpenAI, structured outputs)`] : []),
  ]
}

/** Keywords with one schema, a list or a map of schemas; and those about another place in the value. */
const ONE = ["additionalProperties", "items", "contains", "propertyNames", "unevaluatedItems", "unevaluatedProperties"]
const SAME_VALUE = ["not", "if", "then", "else", "contentSchema"]
const LISTS = ["anyOf", "oneOf", "allOf", "prefixItems"]
const MAPS = ["properties", "patternProperties", "dependentSchemas", "$defs"]
const DEEPER: ReadonlySet<string> = new Set([...ONE, "prefixItems", "properties", "patternProperties"])

/** Finds a schema's subschemas independently of the tested code, so that its mistakes show. */
function below(schema: Keywords, { path, level }: SchemaPlace): readonly (readonly [unknown, SchemaPlace])[] {
  return Object.entries(schema).flatMap(([keyword, value]) =>
    children(keyword, value).map(([steps, child]) => {
      const place = { path: `${path}/${steps}`, keyword, level: level + (DEEPER.has(keyword) ? 1 : 0) }
      return [child, place] as const
    }),
  )
}

function children(keyword: string, value: unknown): readonly (readonly [string, unknown])[] {
  // A boolean there closes an object or a list, and counts as no schema.
  if ([...ONE, ...SAME_VALUE].includes(keyword)) return typeof value === "boolean" ? [] : [[keyword, value]]
  const isHolder = (LISTS.includes(keyword) && Array.isArray(value)) || (MAPS.includes(keyword) && isRecord(value))
  return isHolder ? Object.entries(Object(value)).map(([step, child]) => [`${keyword}/${step}`, child]) : []
}
