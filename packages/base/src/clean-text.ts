import { toWellFormed } from "./json-value.js"

/**
 * Removes invisible characters from a text: control characters (except tab and line feed), direction marks, zero-width
 * characters, soft hyphens and Unicode tags. A foreign text can then neither hide nor reorder words.
 *
 * @example
 * ```ts
 * import { cleanText } from "@x/base"
 *
 * console.log(JSON.stringify(cleanText("pay\u200b 10\r\nto \u202eAnn"))) // "pay 10\nto Ann"
 * ```
 */
export function cleanText(text: string): string {
  return toWellFormed(text)
    .replace(/\r\n?|[\u2028\u2029]/g, "\n")
    .replace(INVISIBLE, "")
}

/**
 * Does the same as {@link cleanText} and joins the lines: white space of any kind and length becomes one space.
 *
 * @example
 * ```ts
 * import { cleanLine } from "@x/base"
 *
 * console.log(cleanLine("  pay\u200b 10\n\tto Ann ")) // pay 10 to Ann
 * ```
 */
export function cleanLine(text: string): string {
  return cleanText(text).replace(/\s+/g, " ").trim()
}

const INVISIBLE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u17b4\u17b5\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e0fff}]|\u034f|[\u180b-\u180f]/gu
