import { isBytes, toBase64 } from "./bytes.js"
import { isPlainObject, type JsonValue, toWellFormed, type Unserializable } from "./json-value.js"

/** Limits of {@link toJson}. */
export interface JsonLimits {
  /** The maximum nesting. Default 100. */
  readonly maxDepth?: number
  /** The maximum of written values, nested ones included. Default 1,000,000. */
  readonly maxValues?: number
}

/**
 * Converts any value to plain JSON that survives a round trip unchanged. Never throws and always terminates.
 *
 * A map with string keys becomes an object. Other maps, headers, forms and URL parameters become an array of pairs. A set, a
 * typed array of numbers and any other object that only iterates become an array. A `bigint` becomes a string, a date ISO 8601,
 * bytes base64, an error its name and message; `toJSON` is honoured. Values that JSON cannot carry are replaced by
 * `{ unserializable: reason }`. A property with `undefined` is omitted, and `undefined` elsewhere becomes `null`; `-0` becomes
 * `0`; texts become well-formed Unicode.
 *
 * @example
 * ```ts
 * import { toJson } from "@x/base"
 *
 * console.log(toJson({ at: new Date(0), ids: new Set([1n]), run: () => 1 }))
 * // { at: '1970-01-01T00:00:00.000Z', ids: [ '1' ], run: { unserializable: 'function' } }
 * ```
 */
export function toJson(value: unknown, limits: JsonLimits = {}): JsonValue {
  if (isKnownJson(value)) return value
  const { maxDepth = 100, maxValues = 1_000_000 } = limits
  return write(value, { maxDepth, left: maxValues, ancestors: [] })
}

const known = new WeakSet<object>()

/** Checks whether {@link knownJson} has marked a value. */
export function isKnownJson(value: unknown): value is JsonValue {
  return typeof value === "object" && value !== null && known.has(value)
}

/**
 * Marks a value as plain, constant JSON, so that {@link toJson} returns it without another look.
 *
 * @example
 * ```ts
 * import { knownJson, toJson } from "@x/base"
 *
 * const json = knownJson({ a: [1] })
 * console.log(toJson(json) === json) // true
 * ```
 */
export function knownJson<Value extends JsonValue>(value: Value): Value {
  if (typeof value === "object" && value !== null) known.add(value)
  return value
}

/**
 * Serialises {@link toJson}'s result. Values marked by {@link knownJson} are serialised only once.
 *
 * @example
 * ```ts
 * import { knownJson, toJsonText } from "@x/base"
 *
 * console.log(toJsonText(knownJson({ a: [1] }))) // {"a":[1]}
 * ```
 */
export function toJsonText(json: JsonValue): string {
  if (typeof json !== "object" || json === null || !known.has(json)) return JSON.stringify(json)
  const text = texts.get(json) ?? JSON.stringify(json)
  texts.set(json, text)
  return text
}

const texts = new WeakMap<object, string>()

interface Writing {
  readonly maxDepth: number
  /** The enclosing objects, outermost first: rarely more than a few. */
  readonly ancestors: object[]
  left: number
}

function write(value: unknown, writing: Writing): JsonValue {
  writing.left -= 1
  if (writing.left < 0) return unserializable("too large")
  switch (typeof value) {
    case "string":
      return toWellFormed(value)
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
  const { ancestors, maxDepth } = writing
  if (ancestors.includes(object)) return unserializable("circular")
  if (ancestors.length >= maxDepth) return unserializable("too deep")
  ancestors.push(object)
  try {
    if (isPlainObject(object)) return writeProperties(object, writing)
    const stand = standIn(object)
    if (stand === object) return writeShape(object, writing)
    return write(stand, writing)
  } catch {
    // The thrown error's text may contain secrets.
    return unserializable("threw")
  } finally {
    ancestors.pop()
  }
}

/** Writes an object property by property: a throwing getter loses only its own. */
function writeProperties(object: object, writing: Writing): JsonValue {
  const json: Record<string, JsonValue> = {}
  for (const key of Object.keys(object)) {
    const value = read(object, key)
    if (value === undefined) continue
    const written = write(value, writing)
    const name = toWellFormed(key)
    // A plain assignment would set the prototype.
    if (name === "__proto__") Object.defineProperty(json, name, { ...ENUMERABLE, value: written })
    else json[name] = written
    if (writing.left < 0) break
  }
  return json
}

const ENUMERABLE = { configurable: true, enumerable: true, writable: true }

function writeItems(items: readonly unknown[], writing: Writing): JsonValue {
  const json: JsonValue[] = []
  for (let index = 0; index < items.length; index += 1) {
    json.push(write(read(items, index), writing))
    if (writing.left < 0) break
  }
  return json
}

/** Returns an object's own replacement. Dates and bytes are handled here instead of by their `toJSON`. */
function standIn(object: object): unknown {
  if (object instanceof Number || object instanceof String || object instanceof Boolean) return object.valueOf()
  if (object instanceof Date || ArrayBuffer.isView(object)) return object
  return "toJSON" in object && typeof object.toJSON === "function" ? object.toJSON() : object
}

function writeShape(object: object, writing: Writing): JsonValue {
  if (Array.isArray(object)) return writeItems(object, writing)
  const shape = toShape(object)
  switch (shape.kind) {
    case "leaf":
      return shape.json
    case "list":
      return writeAll(shape.items, writing, (item) => write(item, writing))
    case "record":
      return Object.fromEntries(
        writeAll(shape.entries, writing, ([key, value]) => [toWellFormed(key), write(value, writing)] as const),
      )
    case "object":
      return writeProperties(object, writing)
  }
}

/** Once the limit is reached, the reason replaces the next value, and all later ones are omitted. */
function writeAll<Item, Written>(items: Iterable<Item>, writing: Writing, one: (item: Item) => Written): Written[] {
  const written: Written[] = []
  for (const item of items) {
    written.push(one(item))
    if (writing.left < 0) break
  }
  return written
}

/** An object's JSON form, whose contents are converted lazily. */
type Shape =
  | { readonly kind: "leaf"; readonly json: JsonValue }
  | { readonly kind: "list"; readonly items: Iterable<unknown> }
  | { readonly kind: "record"; readonly entries: Iterable<readonly [string, unknown]> }
  | { readonly kind: "object" }

/** Finds an object's form; the caller handles `toJSON`. Throws when a proxy or a getter does. */
function toShape(object: object): Shape {
  if (isBytes(object)) return leaf(toBase64(object))
  if (object instanceof Date)
    return Number.isNaN(object.getTime()) ? opaque("invalid date") : leaf(object.toISOString())
  if (isNumbers(object)) return list(object)
  if (isTypedBuffer(object)) return list(elements(object))
  // By its tag, because an object of another realm, such as an iframe's, is no instance of our classes.
  const tag = Object.prototype.toString.call(object).slice(8, -1)
  if (isError(object, tag)) return record(Object.entries({ name: object.name, message: object.message }))
  return OPAQUE.has(tag) ? opaque(tag) : toContents(object, tag)
}

/** Returns a map's entries, the items of a set or of an iterable without properties, or any other object's properties. */
function toContents(object: object, tag: string): Shape {
  const shown = Object.keys(object).length > 0
  if (isIterable(object)) {
    if (PAIRS.has(tag)) return pairsShape(object)
    if (tag === "Set" || !shown) return list(object)
  }
  return shown || PLAIN.has(tag) ? { kind: "object" } : opaque(tag)
}

function isError(object: object, tag: string): object is Error {
  return object instanceof Error || tag === "Error"
}

/** Checks for a repeatable iteration. One that runs only once belongs to its owner. */
function isIterable(object: object): object is Iterable<unknown> {
  return Symbol.iterator in object && !("next" in object)
}

/** Creates the placeholder of a value that JSON cannot carry. */
function unserializable(reason: string): Unserializable {
  return { unserializable: reason }
}

/** Classes whose content is not in their properties. */
const OPAQUE: ReadonlySet<string> = new Set(
  "Blob File Promise ReadableStream RegExp WeakMap WeakRef WeakSet".split(" "),
)

/** Classes with properties only. */
const PLAIN: ReadonlySet<string> = new Set(["Object", "Arguments", "Module"])

/** Classes that iterate pairs of key and value. */
const PAIRS: ReadonlySet<string> = new Set(["Map", "URLSearchParams", "Headers", "FormData"])

/** Converts pairs with unique string keys to a record. */
function pairsShape(pairs: Iterable<unknown>): Shape {
  const entries = new Map<string, unknown>()
  for (const pair of pairs) {
    const [key, value] = Array.isArray(pair) ? pair : []
    if (typeof key !== "string" || entries.has(key)) return list(pairs)
    entries.set(key, value)
  }
  return record([...entries].filter(([, value]) => value !== undefined))
}

/** Checks for a typed array of numbers rather than bytes. */
function isNumbers(object: object): object is Float64Array {
  return ArrayBuffer.isView(object)
}

/** Checks for a `TypedBuffer` of `@adobe/data`, published as an array of its elements. */
function isTypedBuffer(object: object): object is { capacity: number; get(index: number): unknown } {
  return "__brand" in object && object.__brand === "TypedBuffer" && "capacity" in object && "get" in object
}

function* elements(buffer: { readonly capacity: number; get(index: number): unknown }): Iterable<unknown> {
  for (let index = 0; index < buffer.capacity; index += 1) {
    let element: unknown
    try {
      element = buffer.get(index)
    } catch {
      element = unserializable("threw")
    }
    yield element
  }
}

function read(object: object, key: string | number): unknown {
  try {
    return Reflect.get(object, key)
  } catch {
    return unserializable("threw")
  }
}

function leaf(json: JsonValue): Shape {
  return { kind: "leaf", json }
}

function opaque(reason: string): Shape {
  return leaf(unserializable(reason))
}

function list(items: Iterable<unknown>): Shape {
  return { kind: "list", items }
}

function record(entries: Iterable<readonly [string, unknown]>): Shape {
  return { kind: "record", entries }
}
