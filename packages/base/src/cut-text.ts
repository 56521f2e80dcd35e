import { toWellFormed } from "./json-value.js"

/**
 * Shortens a text to at most `most` characters, ending in an ellipsis. No character is cut in half.
 *
 * @example
 * ```ts
 * import { cutText } from "@x/base"
 *
 * console.log(cutText("a long sentence", 8)) // a long …
 * ```
 */
export function cutText(text: string, most: number): string {
  return text.length > most ? `${toWellFormed(text.slice(0, most - 1))}…` : text
}
