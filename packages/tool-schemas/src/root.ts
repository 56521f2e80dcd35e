import { isRecord } from "./json/json-value.js"
import type { JsonSchema, Keywords, ObjectSchema } from "./json-schema.js"
import { ANNOTATIONS } from "./keywords.js"
import { normaliseSchema, resolveRef, toSource } from "./normalise.js"
import { SchemaError } from "./schema-error.js"

/** A schema with an object at its root, and how it came by it. */
export interface ObjectRoot {
  /** Clean JSON Schema 2020-12, what it refers to in `$defs`. */
  readonly schema: ObjectSchema
  /** The one property that stands for the whole, where the author's root was no plain object; else `undefined`. */
  readonly wrapped: string | undefined
}

/** How a root that is no plain object becomes one. */
export interface RootOptions {
  /** Names the property that stands for the whole. */
  readonly nameProperty: (body: Keywords) => string
  /** Whether an object that may have any names stays: some hosts close the root, and lose them. */
  readonly maps: boolean
  /** Whether an object of no keywords that check anything (`{}`) is an object that may hold anything; else it may be anything. */
  readonly open: boolean
}

/**
 * Normalises a schema and gives it an object at its root. A plain object stays, also behind a `$ref`; anything else (a list, a
 * choice, a combinator, which vendors refuse at the root) becomes one required property, named by `nameProperty`.
 *
 * @throws SchemaError when it cannot be published.
 */
export function toObjectRoot(schema: JsonSchema, { nameProperty, maps, open }: RootOptions): ObjectRoot {
  try {
    const source = toSource(schema)
    const { root: walked, $defs } = normaliseSchema(followRootRef(source), { base: source })
    const body = maps ? walked : withoutOpen(walked)
    const defs = Object.keys($defs).length > 0 ? { $defs } : {}
    const isOpen = open && schema !== true && Object.keys(body).every((keyword) => ANNOTATIONS.includes(keyword))
    if (isOpen || (isPlainObject(body) && (maps || !isMap(body)))) {
      return {
        schema: { type: "object", ...body, properties: body["properties"] ?? {}, ...defs },
        wrapped: undefined,
      }
    }
    const wrapped = nameProperty(body)
    const properties = { [wrapped]: body }
    return {
      schema: { type: "object", properties, required: [wrapped], additionalProperties: false, ...defs },
      wrapped,
    }
  } catch (cause) {
    if (cause instanceof SchemaError) throw cause
    throw new SchemaError("the schema cannot be read: reading it throws", { code: "unreadable", cause })
  }
}

/** What stands beside a `$ref` at the root and says nothing about the value. */
const BESIDE_ROOT_REF: ReadonlySet<string> = new Set([
  "$ref",
  "$schema",
  "$id",
  "$comment",
  "$defs",
  "definitions",
  "components",
  "title",
  "description",
])

function followRootRef(source: Keywords): Keywords {
  let root = source
  while (typeof root["$ref"] === "string" && Object.keys(root).every((keyword) => BESIDE_ROOT_REF.has(keyword))) {
    root = toSource(resolveRef(root["$ref"], source))
  }
  return root
}

const BARRED_AT_ROOT = ["$ref", "allOf", "anyOf", "oneOf", "not", "if", "enum", "const"]

function isPlainObject(body: Keywords): boolean {
  const isObject = body["type"] === "object" || (body["type"] === undefined && body["properties"] !== undefined)
  return isObject && !BARRED_AT_ROOT.some((keyword) => keyword in body)
}

/** That anything may stand beside what is named, which is so anyway, makes no map of an object. */
function withoutOpen(body: Keywords): Keywords {
  const { additionalProperties: open, ...rest } = body
  return isRecord(open) && Object.keys(open).length === 0 && body["unevaluatedProperties"] === undefined ? rest : body
}

function isMap({ additionalProperties, patternProperties }: Keywords): boolean {
  return patternProperties !== undefined || isRecord(additionalProperties)
}
