import { isRecord } from "@x/base"
import type { Keywords } from "./json-schema.js"

/** The place of a value. */
export interface ValueSite {
  /** The value's schema, with references resolved. */
  readonly schema: Keywords
  /** Resolves a schema's reference, if it has one. */
  follow(schema: Keywords): Keywords
}

/**
 * Maps a value by its 2020-12 schema: calls `change` with the value, then with each member and item of the result. References
 * lead to the schema's `$defs`, or to the whole.
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
 * Returns schemas that apply to the same value.
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

/** Checks for a plain object. Class instances are kept as is: their own properties are not all their state. */
function isPlain(value: unknown): value is Keywords {
  if (!isRecord(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}
