import type { JsonValue } from "./json-value.js"

/**
 * Formats a path of keys and indices as a JSON Pointer (RFC 6901). The root's pointer is the empty text.
 *
 * @example
 * ```ts
 * import { formatPointer } from "@x/base"
 *
 * console.log(formatPointer(["cards", 0, "a/b"])) // /cards/0/a~1b
 * ```
 */
export function formatPointer(path: readonly (string | number)[]): string {
  return path.reduce<string>(stepInto, "")
}

/**
 * Extends a JSON Pointer (RFC 6901) by one step: `stepInto("/cards", 0)` is `/cards/0`.
 *
 * @example
 * ```ts
 * import { stepInto } from "@x/base"
 *
 * console.log(stepInto("/cards", "a/b")) // /cards/a~1b
 * ```
 */
export function stepInto(pointer: string, key: string | number): string {
  return `${pointer}/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`
}

/**
 * Parses a JSON Pointer (RFC 6901) to a path of keys, the inverse of {@link formatPointer}. Returns `undefined` for an invalid
 * one. Indices are texts too, because only the value distinguishes them from keys.
 *
 * @example
 * ```ts
 * import { parsePointer } from "@x/base"
 *
 * console.log(parsePointer("/cards/0/a~1b")) // [ 'cards', '0', 'a/b' ]
 * ```
 */
export function parsePointer(pointer: string): readonly string[] | undefined {
  if (pointer === "") return []
  if (!pointer.startsWith("/") || /~(?![01])/.test(pointer)) return undefined
  return pointer
    .slice(1)
    .split("/")
    .map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"))
}

/**
 * Finds the value at a JSON Pointer (RFC 6901). Returns `undefined` when it leads nowhere or is invalid.
 *
 * @example
 * ```ts
 * import { findByPointer } from "@x/base"
 *
 * console.log(findByPointer({ cards: [{ title: "Milk" }] }, "/cards/0/title")) // Milk
 * ```
 */
export function findByPointer(json: JsonValue, pointer: string): JsonValue | undefined {
  let found: JsonValue | undefined = json
  for (const key of parsePointer(pointer) ?? [undefined]) {
    if (typeof found !== "object" || found === null || key === undefined) return undefined
    const isMisplaced = Array.isArray(found) && !/^(?:0|[1-9]\d*)$/.test(key)
    if (isMisplaced || !Object.hasOwn(found, key)) return undefined
    found = Reflect.get(found, key)
  }
  return found
}
