import { isRecord, parseJson } from "./json/json-value.js"
import type { Keywords } from "./json-schema.js"
import type { ValuePath, Way } from "./way.js"
import { memberAt } from "./way.js"

/** JSON text becomes what it says; anything else stays what it is. */
export const jsonTextWay: Way = {
  restore(sent) {
    const read = typeof sent === "string" ? parseJson(sent) : undefined
    return read === undefined ? sent : read
  },
  locate: (path) => path,
}

/**
 * Reads JSON text where a published schema wants an object or a list and a text stands instead, as some models write it; a
 * text that says neither stays, for the check to refuse.
 */
export function jsonTextsWay(schema: Keywords): Way {
  const definitions = isRecord(schema["$defs"]) ? schema["$defs"] : {}
  return { restore: (sent) => parseAt(schema, sent, definitions), locate: (path) => path }
}

/** A place ends at a text, as what is further down is within what the text says. */
export function endAtText(path: ValuePath, sent: unknown): ValuePath {
  let value = sent
  for (const [index, key] of path.entries()) {
    if (typeof value === "string") return path.slice(0, index)
    value = memberAt(value, key)
  }
  return path
}

function parseAt(given: Keywords, value: unknown, definitions: Keywords): unknown {
  const schema = follow(given, definitions)
  const read = wantsMore(schema, definitions) ? parse(value) : value
  const own = parseBelow(schema, read, definitions)
  return [...listOf(schema["allOf"]), ...listOf(schema["anyOf"]), ...listOf(schema["oneOf"])].reduce<unknown>(
    (last, part) => parseBelow(follow(part, definitions), last, definitions),
    own,
  )
}

function parseBelow(schema: Keywords, value: unknown, definitions: Keywords): unknown {
  const { properties, items, additionalProperties } = schema
  if (Array.isArray(value)) return isRecord(items) ? value.map((item) => parseAt(items, item, definitions)) : value
  if (!isRecord(value)) return value
  const named = isRecord(properties) ? properties : {}
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      const below: unknown = Object.hasOwn(named, name) ? named[name] : additionalProperties
      return [name, isRecord(below) ? parseAt(below, member, definitions) : member]
    }),
  )
}

function follow(schema: Keywords, definitions: Keywords): Keywords {
  const { $ref } = schema
  const target: unknown = typeof $ref === "string" ? definitions[$ref.slice("#/$defs/".length)] : undefined
  return isRecord(target) ? { ...target, ...schema } : schema
}

/** Whether an object or a list may stand there, and no text. */
function wantsMore(schema: Keywords, definitions: Keywords): boolean {
  const { type, anyOf, oneOf } = schema
  if (type !== undefined) {
    const types = [type].flat()
    return types.some((name) => name === "object" || name === "array") && !types.includes("string")
  }
  const kinds = [...listOf(anyOf), ...listOf(oneOf)].map((choice) => follow(choice, definitions))
  return (
    kinds.some((kind) => wantsMore(kind, {})) &&
    kinds.every((kind) => kind["type"] !== undefined && kind["type"] !== "string")
  )
}

function parse(value: unknown): unknown {
  const parsed = typeof value === "string" ? parseJson(value) : undefined
  return typeof parsed === "object" && parsed !== null ? parsed : value
}

function listOf(schemas: unknown): readonly Keywords[] {
  return Array.isArray(schemas) ? schemas.filter(isRecord) : []
}
