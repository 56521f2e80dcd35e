import { toWellFormed } from "./json-value.js"

/**
 * Removes what a person cannot see from a text: control characters (but tab and line feed), the marks that turn its direction,
 * zero-width characters, soft hyphens and Unicode tags. A text from elsewhere can then neither hide words nor reorder them.
 */
export function cleanText(text: string): string {
  return toWellFormed(text)
    .replace(/\r\n?|[\u2028\u2029]/g, "\n")
    .replace(INVISIBLE, "")
}

/** {@link cleanText} on one line: white space of any kind and length becomes one space. */
export function cleanLine(text: string): string {
  return cleanText(text).replace(/\s+/g, " ").trim()
}

const INVISIBLE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u17b4\u17b5\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e0fff}]|\u034f|[\u180b-\u180f]/gu
