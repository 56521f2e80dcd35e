import { isPlainObject, type JsonValue, toWellFormed } from "./json-value.js"

/**
 * Checks whether the engine's `JSON.stringify` writes a value as `toJson` would, without a replacement anywhere. Values that are
 * too large or too deep for `toJson` are not plain. Never throws.
 *
 * @param mostValues - The most values that a plain one may have, nested ones included. Default 1,000,000.
 * @example
 * ```ts
 * import { isPlainJson } from "@x/base"
 *
 * console.log(isPlainJson({ a: [1, "b", null] }), isPlainJson({ a: new Map() }), isPlainJson(Number.NaN)) // true false false
 * ```
 */
export function isPlainJson(value: unknown, mostValues: number = MOST_VALUES): value is JsonValue {
  try {
    // JSON has no text for `undefined` itself.
    return value !== undefined && countPlain(value, MOST_LEVELS, mostValues) >= 0
  } catch {
    return false
  }
}

/** The limits of `toJson`. Cycles exceed the first. */
const MOST_LEVELS = 100
const MOST_VALUES = 1_000_000

/** Returns how many values may follow a plain value and its parts; a negative number if it is not plain. */
function countPlain(value: unknown, levels: number, left: number): number {
  switch (typeof value) {
    case "string":
      return toWellFormed(value) === value ? left - 1 : NOT_PLAIN
    case "boolean":
    case "undefined":
      return left - 1
    case "number":
      return Number.isFinite(value) ? left - 1 : NOT_PLAIN
    case "object":
      if (value === null) return left - 1
      return levels === 0 ? NOT_PLAIN : countParts(value, levels - 1, left - 1)
    default:
      return NOT_PLAIN
  }
}

const NOT_PLAIN = -1

function countParts(object: object, levels: number, left: number): number {
  if (Array.isArray(object)) return isPlainList(object) ? countItems(object, levels, left) : NOT_PLAIN
  return isPlainObject(object) ? countProperties(object, levels, left) : NOT_PLAIN
}

function countItems(items: readonly unknown[], levels: number, count: number): number {
  let left = count
  for (let index = 0; left >= 0 && index < items.length; index += 1) left = countPlain(items[index], levels, left)
  return left
}

function countProperties(object: object, levels: number, count: number): number {
  let left = count
  for (const key of Object.keys(object)) {
    left = toWellFormed(key) === key ? countPlain(Reflect.get(object, key), levels, left) : NOT_PLAIN
    if (left < 0) break
  }
  return left
}

function isPlainList(items: readonly unknown[]): boolean {
  return Object.getPrototypeOf(items) === Array.prototype && !("toJSON" in items)
}
