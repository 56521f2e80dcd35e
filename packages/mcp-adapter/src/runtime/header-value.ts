/**
 * Decodes a header value that repeats part of a body. Values other than plain ASCII are Base64 (2026-07-28,
 * basic/transports/streamable-http, value encoding).
 *
 * @returns `undefined` for invalid Base64 or UTF-8.
 */
export function decodeHeader(value: string): string | undefined {
  if (!value.startsWith("=?base64?") || !value.endsWith("?=") || value.length < MARKERS) return value
  const base64 = value.slice("=?base64?".length, -"?=".length)
  if (base64.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(base64)) return undefined
  try {
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

const MARKERS = "=?base64??=".length
