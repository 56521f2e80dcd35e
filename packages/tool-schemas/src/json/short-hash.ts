import { sha256 } from "@noble/hashes/sha2.js"
import { utf8ToBytes } from "@noble/hashes/utils.js"

/**
 * Hashes a list of strings to nine characters of `[0-9a-z]`, the first a digit, which no word has: over 44 bits, the
 * same in every process. Node's and the browser's own hashes are not used: one is not everywhere, the other not sync.
 *
 * @example
 * ```ts
 * import { shortHash } from "@x/tool-schemas/json"
 *
 * console.log(shortHash(["cards", "add"]).length) // 9
 * ```
 */
export function shortHash(parts: readonly string[]): string {
  // JSON escapes lone surrogates, so different lists stay different as UTF-8.
  const digest = sha256(utf8ToBytes(JSON.stringify(parts)))
  const number = digest.slice(0, 6).reduce((sum, byte) => sum * 256 + byte, 0)
  return (number % (10 * 36 ** 8)).toString(36).padStart(SHORT_HASH_LENGTH, "0")
}

/** How many characters {@link shortHash} gives. */
export const SHORT_HASH_LENGTH = 9

/**
 * Tells whether a name ends like one that carries a {@link shortHash}.
 *
 * @example
 * ```ts
 * import { endsLikeShortHash } from "@x/tool-schemas/json"
 *
 * console.log(endsLikeShortHash("due_date_68m3n1a5x"), endsLikeShortHash("due_date")) // true false
 * ```
 */
export function endsLikeShortHash(name: string): boolean {
  return /_[0-9][0-9a-z]{8}$/.test(name)
}
