import { base64ToUint8Array, uint8ArrayToBase64 } from "uint8array-extras"

/** Bytes: a buffer, or a view of some of its bytes. */
export type Bytes = ArrayBufferLike | ArrayBufferView

/**
 * Encodes bytes as base64 (RFC 4648 section 4, padded), without Node's `Buffer`. Encodes only a view's own part.
 *
 * @example
 * ```ts
 * import { toBase64 } from "@x/base"
 *
 * console.log(toBase64(new Uint8Array([0, 1, 2]))) // AAEC
 * ```
 */
export function toBase64(bytes: Bytes): string {
  if (ArrayBuffer.isView(bytes)) {
    return uint8ArrayToBase64(new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength))
  }
  return uint8ArrayToBase64(new Uint8Array(bytes))
}

/**
 * Decodes base64, including the URL alphabet. Returns `undefined` for an invalid text.
 *
 * @example
 * ```ts
 * import { fromBase64 } from "@x/base"
 *
 * console.log(fromBase64("AAEC"), fromBase64("!")) // Uint8Array(3) [ 0, 1, 2 ] undefined
 * ```
 */
export function fromBase64(text: string): Uint8Array | undefined {
  try {
    return base64ToUint8Array(text)
  } catch {
    return undefined
  }
}

/**
 * Checks for bytes: an array buffer, a `DataView` or an array of unsigned bytes.
 *
 * @example
 * ```ts
 * import { isBytes } from "@x/base"
 *
 * console.log(isBytes(new Uint8Array()), isBytes([0])) // true false
 * ```
 */
export function isBytes(value: unknown): value is Bytes {
  if (typeof value !== "object" || value === null) return false
  try {
    return (
      value instanceof ArrayBuffer ||
      value instanceof DataView ||
      value instanceof Uint8Array ||
      value instanceof Uint8ClampedArray ||
      (typeof SharedArrayBuffer === "function" && value instanceof SharedArrayBuffer)
    )
  } catch {
    // A foreign proxy may throw, or be revoked.
    return false
  }
}

/**
 * Writes a text as base64 of its UTF-8.
 *
 * @example
 * ```ts
 * import { textToBase64 } from "@x/base"
 *
 * console.log(textToBase64("ü")) // w7w=
 * ```
 */
export function textToBase64(text: string): string {
  return toBase64(new TextEncoder().encode(text))
}

/**
 * Reads base64 as UTF-8; `undefined` for a text that is not base64. Invalid UTF-8 becomes replacement characters.
 *
 * @example
 * ```ts
 * import { base64ToText } from "@x/base"
 *
 * console.log(base64ToText("w7w="), base64ToText("!")) // ü undefined
 * ```
 */
export function base64ToText(base64: string): string | undefined {
  const bytes = fromBase64(base64)
  return bytes && new TextDecoder().decode(bytes)
}
