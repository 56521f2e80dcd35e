/**
 * The text of a message, or of several, as it goes out: a string, or bytes of UTF-8 in pieces, which may belong to other
 * messages as well and are never written to.
 */
export type Encoded = string | readonly Uint8Array[]

/** Puts texts together; what are bytes stay the same bytes. */
export function joinEncoded(...parts: readonly Encoded[]): Encoded {
  if (parts.every((part) => typeof part === "string")) return parts.join("")
  const pieces: Uint8Array[] = []
  for (const part of parts) pieces.push(...(typeof part === "string" ? [encoder.encode(part)] : part))
  return pieces
}

/** How much room a text takes: in characters where it is a string, else in bytes. */
export function sizeOfEncoded(encoded: Encoded): number {
  return typeof encoded === "string" ? encoded.length : encoded.reduce((size, { length }) => size + length, 0)
}

/** A body in pieces: bytes, and text as bytes. */
export function piecesOf(body: Uint8Array | Encoded = []): readonly Uint8Array[] {
  if (typeof body === "string") return [encoder.encode(body)]
  return body instanceof Uint8Array ? [body] : body
}

const encoder = new TextEncoder()
