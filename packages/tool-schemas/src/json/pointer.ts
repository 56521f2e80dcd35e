import type { JsonValue } from "./json-value.js"

/**
 * Writes a path of keys and indices as a JSON Pointer (RFC 6901); the empty path is the empty text, the root.
 *
 * @example
 * ```ts
 * import { formatPointer } from "@x/tool-schemas/json"
 *
 * console.log(formatPointer(["cards", 0, "a/b"])) // /cards/0/a~1b
 * ```
 */
export function formatPointer(path: readonly (string | number)[]): string {
  return path.reduce<string>(stepInto, "")
}

/**
 * A JSON Pointer (RFC 6901) one step further: `stepInto("/cards", 0)` is `/cards/0`.
 *
 * @example
 * ```ts
 * import { stepInto } from "@x/tool-schemas/json"
 *
 * console.log(stepInto("/cards", "a/b")) // /cards/a~1b
 * ```
 */
export function stepInto(pointer: string, key: string | number): string {
  return `${pointer}/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`
}

/**
 * Reads a JSON Pointer (RFC 6901) as a path of keys, the inverse of {@link formatPointer}; `undefined` for a text that is none.
 * Indices are texts too, as only the value that they lead into tells them from keys.
 *
 * @example
 * ```ts
 * import { parsePointer } from "@x/tool-schemas/json"
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
 * Finds what a JSON Pointer (RFC 6901) leads to in a value; `undefined` where it leads nowhere, or is none.
 *
 * @example
 * ```ts
 * import { findByPointer } from "@x/tool-schemas/json"
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
