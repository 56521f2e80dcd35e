/**
 * The encoded text of one or more messages: a string, or pieces of UTF-8 bytes. Pieces may be shared by messages, so never
 * write to them.
 */
export type Encoded = string | readonly Uint8Array[]

/** Joins texts; pieces of bytes are not copied. */
export function joinEncoded(...parts: readonly Encoded[]): Encoded {
  if (parts.every((part) => typeof part === "string")) return parts.join("")
  const pieces: Uint8Array[] = []
  for (const part of parts) pieces.push(...(typeof part === "string" ? [encoder.encode(part)] : part))
  return pieces
}

/** Returns the size of a text: characters of a string, otherwise bytes. */
export function sizeOfEncoded(encoded: Encoded): number {
  return typeof encoded === "string" ? encoded.length : encoded.reduce((size, { length }) => size + length, 0)
}

/** Returns a body as pieces of bytes. */
export function piecesOf(body: Uint8Array | Encoded = []): readonly Uint8Array[] {
  if (typeof body === "string") return [encoder.encode(body)]
  return body instanceof Uint8Array ? [body] : body
}

const encoder = new TextEncoder()
