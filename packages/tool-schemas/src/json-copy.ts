import type { JsonValue } from "./json/json-value.js"
import { sameValue } from "./json/same-value.js"
import { toJson } from "./json/to-json.js"

/** Copies a value that JSON carries whole; `undefined` for any other (a set, a function, `NaN`, a cycle, megabytes). */
export function jsonCopy(value: unknown): JsonValue | undefined {
  const json = toJson(value, { maxDepth: 32, maxValues: 1000 })
  return value === json || sameValue(value, json) ? json : undefined
}
