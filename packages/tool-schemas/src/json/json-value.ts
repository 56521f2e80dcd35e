/** What JSON can carry. */
export type JsonValue =
  | null
  | boolean
  | number
  | string
  | readonly JsonValue[]
  | {
      /** A property; none is `undefined`. */
      readonly [key: string]: JsonValue
    }

/** Stands in the place of something that JSON cannot carry. */
export type Unserializable = {
  /** What it was or why it is left out: `NaN`, `function`, `circular`, `too deep`. */
  readonly unserializable: string
}

/**
 * Tells whether a value is an object that is no list, so that its properties can be read by name.
 *
 * @example
 * ```ts
 * import { isRecord } from "@x/tool-schemas/json"
 *
 * console.log(isRecord({}), isRecord([]), isRecord(null)) // true false false
 * ```
 */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

/**
 * Reads a member that may not exist, of anything; `undefined` for what is no object. A getter that throws is thrown on.
 *
 * @example
 * ```ts
 * import { memberOf } from "@x/tool-schemas/json"
 *
 * console.log(memberOf({ size: 1 }, "size"), memberOf(undefined, "size")) // 1 undefined
 * ```
 */
export function memberOf(value: unknown, key: PropertyKey): unknown {
  if ((typeof value !== "object" || value === null) && typeof value !== "function") return undefined
  return Reflect.get(value, key)
}

/**
 * Tells whether something has a method of that name.
 *
 * @example
 * ```ts
 * import { hasMethod } from "@x/tool-schemas/json"
 *
 * console.log(hasMethod([], "map"), hasMethod(undefined, "map")) // true false
 * ```
 */
export function hasMethod(value: unknown, key: PropertyKey): boolean {
  return typeof memberOf(value, key) === "function"
}

/**
 * Whether a JSON value is of a type, as `type` names them.
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
 * The type of a JSON value, as `type` names it; that of every number is `number`.
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
 * Reads JSON text; `undefined`, which no JSON text stands for, where it is none.
 *
 * @example
 * ```ts
 * import { parseJson } from "@x/tool-schemas/json"
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
 * Puts U+FFFD in the place of each half of a character that stands alone, which UTF-8 cannot carry and vendors refuse.
 *
 * @example
 * ```ts
 * import { toWellFormed } from "@x/tool-schemas/json"
 *
 * console.log(toWellFormed("half \ud83d") === "half \ufffd") // true
 * ```
 */
export function toWellFormed(text: string): string {
  // As fast as can be, where the host has it; the types of its age have not.
  const { isWellFormed } = text as { readonly isWellFormed?: () => boolean }
  return isWellFormed?.call(text) === true ? text : text.replace(/\p{Surrogate}/gu, "\ufffd")
}

/**
 * Orders texts by their code units, as `<` does: the same order everywhere, whatever the language of the host.
 *
 * @returns A negative number when `one` comes first, a positive one when `other` does, 0 for equal texts.
 * @example
 * ```ts
 * import { compareText } from "@x/tool-schemas/json"
 *
 * console.log(["b", "ä", "a", "B"].sort(compareText)) // [ 'B', 'a', 'b', 'ä' ]
 * ```
 */
export function compareText(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0
}
