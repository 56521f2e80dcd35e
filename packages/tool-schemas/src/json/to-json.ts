import { isBytes, toBase64 } from "./bytes.js"
import { type JsonValue, toWellFormed, type Unserializable } from "./json-value.js"

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
 * A map with string keys becomes an object, any other an array of pairs, as do headers, forms and the parameters of a URL; a
 * set, a typed array of numbers and whatever else shows nothing but what it iterates an array;
 * a `bigint` a string; a date ISO 8601; bytes base64; an error its name and message; `toJSON` is honoured.
 * What JSON cannot carry gives way to `{ unserializable: reason }`, and the rest is kept. A property that is
 * `undefined` is left out, elsewhere `undefined` is `null`; `-0` is `0`; texts are well-formed Unicode.
 *
 * @example
 * ```ts
 * import { toJson } from "@x/tool-schemas/json"
 *
 * console.log(toJson({ at: new Date(0), ids: new Set([1n]), run: () => 1 }))
 * // { at: '1970-01-01T00:00:00.000Z', ids: [ '1' ], run: { unserializable: 'function' } }
 * ```
 */
export function toJson(value: unknown, limits: JsonLimits = {}): JsonValue {
  if (typeof value === "object" && value !== null && known.has(value)) return value as JsonValue // `knownJson` took one
  const { maxDepth = 100, maxValues = 1_000_000 } = limits
  return write(value, { maxDepth, left: maxValues, ancestors: [] })
}

const known = new WeakSet<object>()

/**
 * Notes that a value is plain JSON and stays as it is, so that {@link toJson} gives it back without looking at it again.
 *
 * @example
 * ```ts
 * import { knownJson, toJson } from "@x/tool-schemas/json"
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
 * Writes {@link toJson}'s JSON as text; of what {@link knownJson} has noted once, however often it is asked for.
 *
 * @example
 * ```ts
 * import { knownJson, toJsonText } from "@x/tool-schemas/json"
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
  /** What holds the value that is written, the outermost first: seldom more than a few. */
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
    if (isPlain(object)) return writeProperties(object, writing)
    const stand = standIn(object)
    if (stand === object) return writeShape(object, writing)
    return write(stand, writing)
  } catch {
    // The text of what was thrown may hold what nobody was meant to see.
    return unserializable("threw")
  } finally {
    ancestors.pop()
  }
}

/** Whether an object is nothing but its properties, as most are. */
function isPlain(object: object): boolean {
  if (Object.getPrototypeOf(object) !== Object.prototype) return false
  return !("toJSON" in object || "__brand" in object || Symbol.toStringTag in object)
}

/** Property by property: a getter that throws costs its own only. */
function writeProperties(object: object, writing: Writing): JsonValue {
  const json: Record<string, JsonValue> = {}
  for (const key of Object.keys(object)) {
    const value = read(object, key)
    if (value === undefined) continue
    const name = toWellFormed(key)
    const written = write(value, writing)
    // Set like the others it would not be a property.
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

/** What an object wants to be written as. Dates and bytes are known better here than by their own `toJSON`. */
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

/** Once there is too much, the reason is written in place of the next, and those after it are left out. */
function writeAll<Item, Written>(items: Iterable<Item>, writing: Writing, one: (item: Item) => Written): Written[] {
  const written: Written[] = []
  for (const item of items) {
    written.push(one(item))
    if (writing.left < 0) break
  }
  return written
}

/** The form an object takes in JSON; what it holds is not converted yet, and is read one by one as it is iterated. */
type Shape =
  | { readonly kind: "leaf"; readonly json: JsonValue }
  | { readonly kind: "list"; readonly items: Iterable<unknown> }
  | { readonly kind: "record"; readonly entries: Iterable<readonly [string, unknown]> }
  | { readonly kind: "object" }

/** Finds the form of an object. `toJSON` is the caller's business. May throw what a proxy or a getter throws. */
function toShape(object: object): Shape {
  if (isBytes(object)) return leaf(toBase64(object))
  if (object instanceof Date)
    return Number.isNaN(object.getTime()) ? opaque("invalid date") : leaf(object.toISOString())
  if (isNumbers(object)) return list(object)
  if (isTypedBuffer(object)) return list(elements(object))
  // By what it says it is, since one of another realm, as of an iframe, is no instance of a class of this one.
  const tag = Object.prototype.toString.call(object).slice(8, -1)
  if (isError(object, tag)) return record(Object.entries({ name: object.name, message: object.message }))
  return OPAQUE.has(tag) ? opaque(tag) : toContents(object, tag)
}

/** What an object holds: what it iterates, where that is what it is for or all that it shows, or its properties. */
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

/** Whether it can be read as often as one likes; what can be once is its owner's to read. */
function isIterable(object: object): object is Iterable<unknown> {
  return Symbol.iterator in object && !("next" in object)
}

/** What stands in the place of something that JSON cannot carry. */
function unserializable(reason: string): Unserializable {
  return { unserializable: reason }
}

/** What is content without its properties, whatever else somebody has set on it. */
const OPAQUE: ReadonlySet<string> = new Set(
  "Blob File Promise ReadableStream RegExp WeakMap WeakRef WeakSet".split(" "),
)

/** What is nothing but its properties, and empty where it has none. */
const PLAIN: ReadonlySet<string> = new Set(["Object", "Arguments", "Module"])

/** What is iterated as pairs of a key and a value. */
const PAIRS: ReadonlySet<string> = new Set(["Map", "URLSearchParams", "Headers", "FormData"])

/** A record where each key is a text and stands there once. */
function pairsShape(pairs: Iterable<unknown>): Shape {
  const entries = new Map<string, unknown>()
  for (const pair of pairs) {
    const [key, value] = Array.isArray(pair) ? pair : []
    if (typeof key !== "string" || entries.has(key)) return list(pairs)
    entries.set(key, value)
  }
  return record([...entries].filter(([, value]) => value !== undefined))
}

/** A typed array whose elements are numbers to its reader, not bytes. */
function isNumbers(object: object): object is Float64Array {
  return ArrayBuffer.isView(object)
}

/** `TypedBuffer` of `@adobe/data`, which is published as an array of its elements. */
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
