import fastDeepEqual from "fast-deep-equal/es6/index.js"

/**
 * Compares two values of a state: primitives by `Object.is`, plain data by content. Values that their own properties do not
 * describe (bytes, cycles, `toJSON`, a million values) count as different: a superfluous notice is harmless, a lost one is not.
 *
 * @example
 * ```ts
 * import { sameValue } from "@x/base"
 *
 * console.log(sameValue({ a: [1] }, { a: [1] }), sameValue(0, -0)) // true false
 * ```
 */
export function sameValue(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false
  try {
    return canCompare(a, b) && fastDeepEqual(a, b)
  } catch {
    return false
  }
}

/**
 * Checks whether fast-deep-equal can compare two values: it never returns for a cycle or a `DataView`, and compares objects
 * with hidden content by `toString`, `valueOf` or an empty list of keys. Shared parts are skipped.
 */
function canCompare(a: unknown, b: unknown): boolean {
  return isComparable(a, b, { ancestors: new Set(), left: MAX_VALUES })
}

const MAX_DEPTH = 100
const MAX_VALUES = 200_000

interface Looking {
  readonly ancestors: Set<object>
  left: number
}

function isComparable(a: unknown, b: unknown, looking: Looking): boolean {
  if (a === b || typeof a !== "object" || a === null) return true
  looking.left -= 1
  if (looking.left < 0 || looking.ancestors.size >= MAX_DEPTH || looking.ancestors.has(a)) return false
  looking.ancestors.add(a)
  const comparable = hasComparableParts(a, b, looking)
  looking.ancestors.delete(a)
  return comparable
}

function hasComparableParts(a: object, b: unknown, looking: Looking): boolean {
  if (a instanceof Date || a instanceof Set) return true
  if (a instanceof Map) {
    const other = b instanceof Map ? b : undefined
    return [...a].every(([key, value]) => isComparable(value, other?.get(key), looking))
  }
  if (ArrayBuffer.isView(a)) return !(a instanceof DataView)
  if (!Array.isArray(a) && !isTransparent(a)) return false
  const other = typeof b === "object" && b !== null ? b : {}
  return Object.keys(a).every((key) => isComparable(Reflect.get(a, key), Reflect.get(other, key), looking))
}

/** Checks whether an object consists of its own properties only. */
function isTransparent(object: object): boolean {
  return !(
    "toJSON" in object ||
    "__brand" in object ||
    object.valueOf !== Object.prototype.valueOf ||
    object.toString !== Object.prototype.toString ||
    Object.prototype.toString.call(object) !== "[object Object]"
  )
}
