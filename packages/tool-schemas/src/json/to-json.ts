import type { JsonValue } from "./json-value.js"
import { toShape, unserializable } from "./to-shape.js"

/** How much {@link toJson} takes in. */
export interface JsonLimits {
  /** The deepest nesting that is followed. Default 100. */
  readonly maxDepth?: number
  /** The most values that are written, nested ones included. Default 1,000,000. */
  readonly maxValues?: number
}

/**
 * Writes anything as plain JSON that survives a round trip unchanged. Never throws and always ends.
 *
 * A map with string keys becomes an object, any other an array of pairs; a set and a typed array of numbers an array;
 * a `bigint` a string; a date ISO 8601; bytes base64; an error its name and message; `toJSON` is honoured.
 * What JSON cannot carry gives way to `{ unserializable: reason }`, and the rest is kept. A property that is
 * `undefined` is left out, elsewhere `undefined` is `null`; `-0` is `0`.
 */
export function toJson(value: unknown, limits: JsonLimits = {}): JsonValue {
  const { maxDepth = 100, maxValues = 1_000_000 } = limits
  return write(value, { maxDepth, left: maxValues, ancestors: new Set() })
}

interface Writing {
  readonly maxDepth: number
  readonly ancestors: Set<object>
  left: number
}

function write(value: unknown, writing: Writing): JsonValue {
  writing.left -= 1
  if (writing.left < 0) return unserializable("too large")
  switch (typeof value) {
    case "string":
    case "boolean":
      return value
    case "number":
      return Number.isFinite(value) ? value + 0 : unserializable(String(value))
    case "bigint":
      return value.toString()
    case "undefined":
      return null
    case "object":
      return value === null ? null : writeObject(value, writing)
    default:
      return unserializable(typeof value)
  }
}

function writeObject(object: object, writing: Writing): JsonValue {
  if (writing.ancestors.has(object)) return unserializable("circular")
  if (writing.ancestors.size >= writing.maxDepth) return unserializable("too deep")
  writing.ancestors.add(object)
  try {
    const stand = standIn(object)
    if (stand === object) return writeShape(object, writing)
    return write(stand, writing)
  } catch {
    // The text of what was thrown may hold what nobody was meant to see.
    return unserializable("threw")
  } finally {
    writing.ancestors.delete(object)
  }
}

/** What an object wants to be written as. Dates and bytes are known better here than by their own `toJSON`. */
function standIn(object: object): unknown {
  if (object instanceof Number || object instanceof String || object instanceof Boolean) return object.valueOf()
  if (object instanceof Date || ArrayBuffer.isView(object)) return object
  return "toJSON" in object && typeof object.toJSON === "function" ? object.toJSON() : object
}

function writeShape(object: object, writing: Writing): JsonValue {
  const shape = toShape(object)
  switch (shape.kind) {
    case "leaf":
      return shape.json
    case "list":
      return writeAll(shape.items, writing, (item) => write(item, writing))
    case "record":
      return Object.fromEntries(
        writeAll(shape.entries, writing, ([key, value]) => [key, write(value, writing)] as const),
      )
  }
}

/** Once there is too much, the reason is written in place of the next, and those after it are left out. */
function writeAll<Item, Written>(items: Iterable<Item>, writing: Writing, one: (item: Item) => Written): Written[] {
  const written: Written[] = []
  for (const item of items) {
    written.push(one(item))
    if (writing.left < 0) break
  }
  return written
}
