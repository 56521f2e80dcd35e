import type { JsonValue, Unserializable } from "./json-value.js"
import { isBytes, toBase64 } from "./to-base64.js"

/** The form an object takes in JSON; what it holds is not converted yet, and is read one by one as it is iterated. */
export type Shape =
  | { readonly kind: "leaf"; readonly json: JsonValue }
  | { readonly kind: "list"; readonly items: Iterable<unknown> }
  | { readonly kind: "record"; readonly entries: Iterable<readonly [string, unknown]> }

/** Finds the form of an object. `toJSON` is the caller's business. May throw what a proxy or a getter throws. */
export function toShape(object: object): Shape {
  if (isBytes(object)) return leaf(toBase64(object))
  if (object instanceof Date)
    return Number.isNaN(object.getTime()) ? opaque("invalid date") : leaf(object.toISOString())
  if (Array.isArray(object)) return list(elements(object.length, (index) => object[index]))
  if (object instanceof Map) return mapShape(object)
  if (object instanceof Set || isNumbers(object)) return list(object)
  if (isTypedBuffer(object)) return list(elements(object.capacity, (index) => object.get(index)))
  if (object instanceof Error) return record(Object.entries({ name: object.name, message: object.message }))
  const tag = Object.prototype.toString.call(object).slice(8, -1)
  return OPAQUE.has(tag) ? opaque(tag) : record(properties(object))
}

/** What stands in the place of something that JSON cannot carry. */
export function unserializable(reason: string): Unserializable {
  return { unserializable: reason }
}

/** What holds its content where only its own methods reach it. */
const OPAQUE: ReadonlySet<string> = new Set(
  "Blob File Promise ReadableStream RegExp WeakMap WeakRef WeakSet".split(" "),
)

function mapShape(map: ReadonlyMap<unknown, unknown>): Shape {
  const entries: [string, unknown][] = []
  for (const [key, value] of map) {
    if (typeof key !== "string") return list(map)
    if (value !== undefined) entries.push([key, value])
  }
  return record(entries)
}

/** A typed array whose elements are numbers to its reader, not bytes. */
function isNumbers(object: object): object is Float64Array {
  return ArrayBuffer.isView(object)
}

/** `TypedBuffer` of `@adobe/data`, which is published as an array of its elements. */
function isTypedBuffer(object: object): object is { capacity: number; get(index: number): unknown } {
  return "__brand" in object && object.__brand === "TypedBuffer" && "capacity" in object && "get" in object
}

function* elements(length: number, at: (index: number) => unknown): Iterable<unknown> {
  for (let index = 0; index < length; index += 1) yield read(() => at(index))
}

function* properties(object: object): Iterable<readonly [string, unknown]> {
  for (const key of Object.keys(object)) {
    const value = read(() => Reflect.get(object, key))
    if (value !== undefined) yield [key, value]
  }
}

/** A getter that throws costs its own property only. */
function read(get: () => unknown): unknown {
  try {
    return get()
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
