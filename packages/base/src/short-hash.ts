import { sha256 } from "@noble/hashes/sha2.js"
import { utf8ToBytes } from "@noble/hashes/utils.js"

/**
 * Hashes a list of strings to nine characters of `[0-9a-z]`, of which the first is a digit, unlike in words: over 44 bits, the
 * same in every process. Node's own hash is not available everywhere, and the browser's is asynchronous.
 *
 * @example
 * ```ts
 * import { shortHash } from "@x/base"
 *
 * console.log(shortHash(["cards", "add"]).length) // 9
 * ```
 */
export function shortHash(parts: readonly string[]): string {
  // JSON escapes lone surrogates, so different lists stay different in UTF-8.
  const digest = sha256(utf8ToBytes(JSON.stringify(parts)))
  const number = digest.slice(0, 6).reduce((sum, byte) => sum * 256 + byte, 0)
  return (number % (10 * 36 ** 8)).toString(36).padStart(SHORT_HASH_LENGTH, "0")
}

/** The length of a {@link shortHash}. */
export const SHORT_HASH_LENGTH = 9

/**
 * Checks whether a name seems to end in a {@link shortHash}.
 *
 * @example
 * ```ts
 * import { endsLikeShortHash } from "@x/base"
 *
 * console.log(endsLikeShortHash("due_date_68m3n1a5x"), endsLikeShortHash("due_date")) // true false
 * ```
 */
export function endsLikeShortHash(name: string): boolean {
  return /_[0-9][0-9a-z]{8}$/.test(name)
}
