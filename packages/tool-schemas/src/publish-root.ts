import { deepFreeze } from "./deep-freeze.js"
import type { JsonSchema } from "./json-schema.js"
import type { Keywords } from "./keywords/keywords.js"
import type { ObjectSchema } from "./object-schema.js"
import { resolveRef } from "./resolve-ref.js"
import { SchemaError } from "./schema-error.js"
import { isSource, type SchemaSource } from "./schema-source.js"
import { walkSchema } from "./walk-schema.js"

/** A schema with an object at its root, and how it came by it. */
export interface PublishedRoot {
  /** What is published: pure JSON, deeply frozen. */
  readonly schema: ObjectSchema
  /** The one property that stands for the whole, where the author's root was no plain object; else `undefined`. */
  readonly wrapped: string | undefined
}

/**
 * Publishes a schema with an object at its root. A plain object stays, also behind a `$ref`; anything else (a list, a
 * choice, a combinator, which vendors refuse at the root) becomes one required property, named by `nameProperty`.
 *
 * @param roots - Whether an object that may have any names stays as well: some hosts close the root, and lose them.
 * @throws SchemaError when it cannot be published.
 */
export function publishRoot(
  schema: JsonSchema,
  nameProperty: (body: Keywords) => string,
  roots: "maps" | "no-maps" = "maps",
): PublishedRoot {
  try {
    const source = toSource(schema)
    const { body: walked, $defs } = walkSchema(followRootRef(source), source)
    const body = roots === "maps" ? walked : withoutOpen(walked)
    const defs = Object.keys($defs).length > 0 ? { $defs } : {}
    if (isPlainObject(body) && (roots === "maps" || !isMap(body))) {
      return deepFreeze({
        schema: { type: "object", ...body, properties: body["properties"] ?? {}, ...defs },
        wrapped: undefined,
      })
    }
    const wrapped = nameProperty(body)
    const properties = { [wrapped]: body }
    return deepFreeze({
      schema: { type: "object", properties, required: [wrapped], additionalProperties: false, ...defs },
      wrapped,
    })
  } catch (cause) {
    if (cause instanceof SchemaError) throw cause
    throw new SchemaError("the schema cannot be read: reading it throws", { code: "unreadable", cause })
  }
}

function toSource(schema: unknown): SchemaSource {
  if (typeof schema === "boolean") return schema ? {} : { not: {} }
  if (isSource(schema)) return schema
  throw new SchemaError(`the schema is ${String(schema)}: expected an object or a boolean`, { code: "not_a_schema" })
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

function followRootRef(source: SchemaSource): SchemaSource {
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
  return isSource(open) && Object.keys(open).length === 0 && body["unevaluatedProperties"] === undefined ? rest : body
}

function isMap({ additionalProperties, patternProperties }: Keywords): boolean {
  return patternProperties !== undefined || isSource(additionalProperties)
}
