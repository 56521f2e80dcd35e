import fastDeepEqual from "fast-deep-equal/es6/index.js"
import { canCompare } from "./can-compare.js"

/**
 * Tells whether two values of a state say the same: primitives by `Object.is`, plain data by content.
 * What cannot be told by its own properties (bytes, cycles, `toJSON`, a million values) counts as different:
 * a notice too many is harmless, a lost one is not.
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
