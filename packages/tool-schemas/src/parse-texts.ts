import type { Keywords } from "./keywords/keywords.js"
import { isSource, type SchemaSource } from "./schema-source.js"

/**
 * Reads JSON text where a schema wants an object or a list and a text stands instead, as some models write it; a text
 * that says neither stays, for the check to refuse.
 */
export function parseTexts(root: Keywords, value: unknown): unknown {
  const definitions = isSource(root["$defs"]) ? root["$defs"] : {}
  return parseAt(root, value, definitions)
}

function parseAt(given: Keywords, value: unknown, definitions: SchemaSource): unknown {
  const schema = follow(given, definitions)
  const read = wantsMore(schema, definitions) ? parse(value) : value
  const into = [schema["allOf"], schema["anyOf"], schema["oneOf"]].flatMap((parts) =>
    Array.isArray(parts) ? parts : [],
  )
  const own = parseBelow(schema, read, definitions)
  return into
    .filter(isSource)
    .reduce<unknown>((last, part) => parseBelow(follow(part, definitions), last, definitions), own)
}

function parseBelow(schema: Keywords, value: unknown, definitions: SchemaSource): unknown {
  const { properties, items, additionalProperties } = schema
  if (Array.isArray(value)) return isSource(items) ? value.map((item) => parseAt(items, item, definitions)) : value
  if (!isSource(value)) return value
  const named = isSource(properties) ? properties : {}
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      const below: unknown = Object.hasOwn(named, name) ? named[name] : additionalProperties
      return [name, isSource(below) ? parseAt(below, member, definitions) : member]
    }),
  )
}

function follow(schema: Keywords, definitions: SchemaSource): Keywords {
  const { $ref } = schema
  const target: unknown = typeof $ref === "string" ? definitions[$ref.slice("#/$defs/".length)] : undefined
  return isSource(target) ? { ...target, ...schema } : schema
}

/** Whether an object or a list may stand there, and no text. */
function wantsMore(schema: Keywords, definitions: SchemaSource): boolean {
  const { type, anyOf, oneOf } = schema
  if (type !== undefined) {
    const types = [type].flat()
    return types.some((name) => name === "object" || name === "array") && !types.includes("string")
  }
  const choices = [anyOf, oneOf].flatMap((each) => (Array.isArray(each) ? each : [])).filter(isSource)
  const kinds = choices.map((choice) => follow(choice, definitions))
  return (
    kinds.some((kind) => wantsMore(kind, {})) &&
    kinds.every((kind) => kind["type"] !== undefined && kind["type"] !== "string")
  )
}

function parse(value: unknown): unknown {
  if (typeof value !== "string") return value
  try {
    const parsed: unknown = JSON.parse(value)
    return typeof parsed === "object" && parsed !== null ? parsed : value
  } catch {
    return value
  }
}
