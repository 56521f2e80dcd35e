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
