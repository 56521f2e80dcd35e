import { isRecord } from "@x/base"
import type { JsonSchema, Keywords, ObjectSchema } from "./json-schema.js"
import { ANNOTATIONS } from "./keywords.js"
import { normaliseSchema } from "./normalise.js"
import { resolveRef, toSource } from "./references.js"
import { SchemaError } from "./schema-error.js"

/** A schema whose root is an object. */
interface ObjectRoot {
  /** Clean JSON Schema 2020-12, with its definitions in `$defs`. */
  readonly schema: ObjectSchema
  /** The property that holds the whole value when the author's root was no plain object; else `undefined`. */
  readonly wrapped: string | undefined
}

/** Options of wrapping a root. */
interface RootOptions {
  /** Names the wrapping property. */
  readonly nameProperty: (body: Keywords) => string
  /** Whether an object with arbitrary names stays: some hosts close the root, and lose them. */
  readonly maps: boolean
  /** Whether a schema without checking keywords (`{}`) means an open object; otherwise it means any value. */
  readonly open: boolean
}

/**
 * Normalises a schema and gives it an object at its root. A plain object stays, even behind a `$ref`. Any other root (a list, a
 * choice, a combinator, which vendors reject there) is wrapped in one required property, named by `nameProperty`.
 *
 * @throws SchemaError if it cannot be published.
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
    throw new SchemaError("the schema cannot be read, because accessing it throws: expected plain data", {
      code: "unreadable",
      cause,
    })
  }
}

/** Keywords beside a root `$ref` that do not constrain the value. */
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

const BARRED_AT_ROOT = ["$ref", "allOf", "anyOf", "oneOf", "not", "enum", "const"]

function isPlainObject(body: Keywords): boolean {
  const { type, properties = {} } = body
  const isObject = type === "object" || (type === undefined && body["properties"] !== undefined)
  // A condition can be described beside properties; alone, it is the only description of them.
  if ("if" in body && Object.keys(Object(properties)).length === 0) return false
  return isObject && !BARRED_AT_ROOT.some((keyword) => keyword in body)
}

/** Drops an explicit permission of further properties, which is the default, so that the object does not count as a map. */
function withoutOpen(body: Keywords): Keywords {
  const { additionalProperties: open, ...rest } = body
  return isRecord(open) && Object.keys(open).length === 0 && body["unevaluatedProperties"] === undefined ? rest : body
}

function isMap({ additionalProperties, patternProperties }: Keywords): boolean {
  return patternProperties !== undefined || isRecord(additionalProperties)
}
