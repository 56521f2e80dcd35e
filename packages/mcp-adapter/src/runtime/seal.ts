import { hmac } from "@noble/hashes/hmac.js"
import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, hexToBytes, utf8ToBytes } from "@noble/hashes/utils.js"
import { sameBytes } from "./same-bytes.js"

/** Hands a note to a caller so that it comes back as it was, or is refused. */
export interface Seal<Note> {
  /** Seals a note. It can be read by whoever holds it, and not changed. */
  close(note: Note): string
  /** The note, unless somebody else wrote or changed it. */
  open(text: string): Note | undefined
  /** The keyed digest of a text: it can be compared by whoever has the secret, and says nothing to anybody else. */
  digest(text: string): string
}

/**
 * Seals with HMAC-SHA-256.
 *
 * @param secret - At least 32 bytes; whoever shares it opens each other's notes.
 * @param isNote - Guards against a note of another shape, sealed with the same secret.
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
