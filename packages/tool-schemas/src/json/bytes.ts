import { base64ToUint8Array, uint8ArrayToBase64 } from "uint8array-extras"

/** What holds bytes: a buffer, or a view of some of its bytes. */
export type Bytes = ArrayBufferLike | ArrayBufferView

/**
 * Writes bytes as base64 (RFC 4648 section 4, padded), without Node's `Buffer`. A view gives its own part only.
 *
 * @example
 * ```ts
 * import { toBase64 } from "@x/tool-schemas/json"
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
 * Reads base64, also the kind for URLs; `undefined` for a text that is none.
 *
 * @example
 * ```ts
 * import { fromBase64 } from "@x/tool-schemas/json"
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
 * Tells whether a value is read as bytes: an array buffer, a `DataView` or an array of unsigned bytes.
 *
 * @example
 * ```ts
 * import { isBytes } from "@x/tool-schemas/json"
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
    // A proxy of somebody's may not let itself be looked at, or be revoked.
    return false
  }
}
