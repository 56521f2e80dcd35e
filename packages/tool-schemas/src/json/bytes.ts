import { uint8ArrayToBase64 } from "uint8array-extras"

/** What holds bytes: a buffer, or a view of some of its bytes. */
export type Bytes = ArrayBufferLike | ArrayBufferView

/** Writes bytes as base64 (RFC 4648 section 4, padded), without Node's `Buffer`. A view gives its own part only. */
export function toBase64(bytes: Bytes): string {
  if (ArrayBuffer.isView(bytes)) {
    return uint8ArrayToBase64(new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength))
  }
  return uint8ArrayToBase64(new Uint8Array(bytes))
}

/** Tells whether a value is read as bytes: an array buffer, a `DataView` or an array of unsigned bytes. */
export function isBytes(value: unknown): value is Bytes {
  return (
    value instanceof ArrayBuffer ||
    value instanceof DataView ||
    value instanceof Uint8Array ||
    value instanceof Uint8ClampedArray ||
    (typeof SharedArrayBuffer === "function" && value instanceof SharedArrayBuffer)
  )
}
