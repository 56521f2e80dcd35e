import { hmac } from "@noble/hashes/hmac.js"
import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, hexToBytes, utf8ToBytes } from "@noble/hashes/utils.js"
import { sameBytes } from "./same-bytes.js"

/** Seals notes that callers hand back, and detects changes. */
export interface Seal<Note> {
  /** Seals a note. Holders can read it but not change it. */
  close(note: Note): string
  /** Returns the note; `undefined` if the text was changed or sealed with another secret. */
  open(text: string): Note | undefined
  /** Returns a keyed digest of a text: only holders of the secret can compare it. */
  digest(text: string): string
}

/**
 * Creates a seal that uses HMAC-SHA-256.
 *
 * @param secret - At least 32 bytes; processes with the same secret can open each other's notes.
 * @param isNote - Rejects notes of another shape, sealed with the same secret.
 * @example
 * ```ts
 * import { createSeal } from "@x/mcp-adapter/binding"
 *
 * const secret = crypto.getRandomValues(new Uint8Array(32))
 * const seal = createSeal(secret, (note): note is number => typeof note === "number")
 * const cursor = seal.close(40)
 * console.log(seal.open(cursor), seal.open(`${cursor}0`)) // 40 undefined
 * ```
 */
export function createSeal<Note>(secret: Uint8Array, isNote: (value: unknown) => value is Note): Seal<Note> {
  if (secret.length < 32) throw new RangeError(`the secret has ${secret.length} bytes: expected at least 32`)
  const sign = (text: string): Uint8Array => hmac(sha256, secret, utf8ToBytes(text))
  return {
    digest: (text) => bytesToHex(sign(`digest:${text}`)),
    close(note) {
      const text = JSON.stringify(note)
      return `${bytesToHex(sign(text))}.${text}`
    },
    open(sealed) {
      const [signature = "", text = ""] = cut(sealed)
      if (!isSame(sign(text), signature)) return undefined
      const note: unknown = JSON.parse(text)
      return isNote(note) ? note : undefined
    },
  }
}

function cut(sealed: string): readonly [string, string] | readonly [] {
  const dot = sealed.indexOf(".")
  return dot < 0 ? [] : [sealed.slice(0, dot), sealed.slice(dot + 1)]
}

function isSame(expected: Uint8Array, found: string): boolean {
  return /^[0-9a-f]{64}$/.test(found) && sameBytes(expected, hexToBytes(found))
}
