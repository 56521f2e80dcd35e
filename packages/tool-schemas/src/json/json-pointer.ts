import type { JsonValue } from "./json-value.js"

/** What a JSON Pointer (RFC 6901) leads to in a value; `undefined` where it leads nowhere, or is none. */
export function findByPointer(json: JsonValue, pointer: string): JsonValue | undefined {
  if (pointer === "") return json
  if (!pointer.startsWith("/")) return undefined
  let found: JsonValue | undefined = json
  for (const token of pointer.slice(1).split("/")) {
    if (typeof found !== "object" || found === null) return undefined
    const key = token.replaceAll("~1", "/").replaceAll("~0", "~")
    const isList = Array.isArray(found)
    if ((isList && !/^(?:0|[1-9]\d*)$/.test(key)) || !Object.hasOwn(found, key)) return undefined
    found = Reflect.get(found, key)
  }
  return found
}

/** A JSON Pointer one step further. */
export function stepInto(pointer: string, key: string | number): string {
  return `${pointer}/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`
}
