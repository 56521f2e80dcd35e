import { isRecord } from "./json/json-value.js"
import type { Keywords } from "./json-schema.js"

/** Where a value stands. */
export interface ValueSite {
  /** What the schema says of it; references are followed. */
  readonly schema: Keywords
  /** Follows the reference of a schema, if it is one. */
  follow(schema: Keywords): Keywords
}

/**
 * Changes a value by what a schema of 2020-12 says of its parts: `change` is asked for the value, then for each member and item of
 * what it gave. References go to `$defs` of the schema, or to the whole.
 *
 * @example
 * ```ts
 * import { mapValue } from "@x/tool-schemas/normalise"
 *
 * const schema = { type: "object", properties: { when: { type: "string", format: "date" } } }
 * const value = mapValue(schema, { when: "2026-12-01", by: "Ann" }, (part, site) =>
 *   site.schema["format"] === "date" ? new Date(String(part)) : part,
 * )
 * console.log(value) // { when: 2026-12-01T00:00:00.000Z, by: 'Ann' }
 * ```
 */
export function mapValue(
  root: Keywords,
  value: unknown,
  change: (value: unknown, site: ValueSite) => unknown,
): unknown {
  const definitions = isRecord(root["$defs"]) ? root["$defs"] : {}
  const follow = (schema: Keywords): Keywords => {
    const { $ref } = schema
    if (typeof $ref !== "string") return schema
    const target: unknown = $ref === "#" ? root : definitions[$ref.slice("#/$defs/".length)]
    return isRecord(target) ? { ...target, ...schema } : schema
  }
  const at = (given: Keywords, part: unknown): unknown => {
    const schema = follow(given)
    const changed = below(schema, change(part, { schema, follow }))
    return partsOf(schema).reduce<unknown>((last, each) => below(follow(each), last), changed)
  }
  const below = (schema: Keywords, whole: unknown): unknown => {
    const { properties, items, additionalProperties } = schema
    if (Array.isArray(whole)) return isRecord(items) ? whole.map((item) => at(items, item)) : whole
    if (!isPlain(whole)) return whole
    const named = isRecord(properties) ? properties : {}
    const entries = Object.entries(whole).map(([name, member]) => {
      const one: unknown = Object.hasOwn(named, name) ? named[name] : additionalProperties
      return [name, isRecord(one) ? at(one, member) : member] as const
    })
    return Object.fromEntries(entries)
  }
  return at(root, value)
}

/**
 * The schemas that the same value meets as well.
 *
 * @example
 * ```ts
 * import { partsOf } from "@x/tool-schemas/normalise"
 *
 * console.log(partsOf({ anyOf: [{ type: "string" }, true] })) // [ { type: 'string' } ]
 * ```
 */
export function partsOf({ allOf, anyOf, oneOf }: Keywords): readonly Keywords[] {
  return [allOf, anyOf, oneOf].flatMap((parts) => (Array.isArray(parts) ? parts.filter(isRecord) : []))
}

/** What is of a class stays what it is: its properties are not all there is to it. */
function isPlain(value: unknown): value is Keywords {
  if (!isRecord(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}
