/** Any JSON value. */
export type JsonValue =
  | null
  | boolean
  | number
  | string
  | readonly JsonValue[]
  | {
      /** A property, never `undefined`. */
      readonly [key: string]: JsonValue
    }

/** The placeholder of a value that JSON cannot carry. */
export type Unserializable = {
  /** The value or the reason: `NaN`, `function`, `circular`, `too deep`. */
  readonly unserializable: string
}

/**
 * Checks for an object other than a list, whose properties can be read by name.
 *
 * @example
 * ```ts
 * import { isRecord } from "@x/base"
 *
 * console.log(isRecord({}), isRecord([]), isRecord(null)) // true false false
 * ```
 */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

/**
 * Reads an optional member of any value. Returns `undefined` for primitive values. Errors of a getter are thrown.
 *
 * @example
 * ```ts
 * import { memberOf } from "@x/base"
 *
 * console.log(memberOf({ size: 1 }, "size"), memberOf(undefined, "size")) // 1 undefined
 * ```
 */
export function memberOf(value: unknown, key: PropertyKey): unknown {
  if ((typeof value !== "object" || value === null) && typeof value !== "function") return undefined
  return Reflect.get(value, key)
}

/**
 * Checks whether a value has a method of that name.
 *
 * @example
 * ```ts
 * import { hasMethod } from "@x/base"
 *
 * console.log(hasMethod([], "map"), hasMethod(undefined, "map")) // true false
 * ```
 */
export function hasMethod(value: unknown, key: PropertyKey): boolean {
  return typeof memberOf(value, key) === "function"
}

/**
 * Checks whether a JSON value has a type, as named by the keyword `type`.
 *
 * @example
 * ```ts
 * import { isOfType } from "@x/tool-schemas/normalise"
 *
 * console.log(isOfType(1, "integer"), isOfType(1.5, "integer"), isOfType([], "object")) // true false false
 * ```
 */
export function isOfType(value: unknown, type: unknown): boolean {
  const own = typeOf(value)
  return own === type || (type === "integer" && Number.isInteger(value))
}

/**
 * Returns a JSON value's type, as named by the keyword `type`. Every number's is `number`.
 *
 * @example
 * ```ts
 * import { typeOf } from "@x/tool-schemas/normalise"
 *
 * console.log(typeOf(null), typeOf([]), typeOf(1)) // null array number
 * ```
 */
export function typeOf(value: unknown): string {
  if (value === null) return "null"
  return Array.isArray(value) ? "array" : typeof value
}

/**
 * Parses JSON text. Returns `undefined`, which no JSON text yields, for invalid text.
 *
 * @example
 * ```ts
 * import { parseJson } from "@x/base"
 *
 * console.log(parseJson("[1]"), parseJson("[1")) // [ 1 ] undefined
 * ```
 */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/**
 * Replaces each lone half of a character by U+FFFD, because UTF-8 cannot carry it and vendors reject it.
 *
 * @example
 * ```ts
 * import { toWellFormed } from "@x/base"
 *
 * console.log(toWellFormed("half \ud83d") === "half \ufffd") // true
 * ```
 */
export function toWellFormed(text: string): string {
  // The host's own method is fastest, but our target's types lack it.
  const { isWellFormed } = text as { readonly isWellFormed?: () => boolean }
  return isWellFormed?.call(text) === true ? text : text.replace(/\p{Surrogate}/gu, "\ufffd")
}

/**
 * Compares texts by code units, like `<`: the same order everywhere, regardless of the host's language.
 *
 * @returns A negative number when `one` comes first, a positive one when `other` does, 0 for equal texts.
 * @example
 * ```ts
 * import { compareText } from "@x/base"
 *
 * console.log(["b", "ä", "a", "B"].sort(compareText)) // [ 'B', 'a', 'b', 'ä' ]
 * ```
 */
export function compareText(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0
}

/** Checks for an object that only has properties, like most objects. */
export function isPlainObject(object: object): boolean {
  if (Object.getPrototypeOf(object) !== Object.prototype) return false
  return !("toJSON" in object || "__brand" in object || Symbol.toStringTag in object)
}
