import { compareText } from "@x/base"
/** A service's place in the graph, as link keys from the root. Empty for the root. */
export type Path = readonly string[]

/**
 * Formats a path as text: percent-encoded segments joined by `/`. The root is the empty string. Different paths always give
 * different texts.
 *
 * @example
 * ```ts
 * import { formatPath } from "@x/mcp-adapter"
 *
 * console.log(formatPath(["rooms", "a/b"])) // rooms/a%2Fb
 * ```
 */
export function formatPath(path: Path): string {
  return path.map(encodeSegment).join("/")
}

/**
 * Parses a text of {@link formatPath}. Returns `undefined` when it is malformed (an empty segment, a bad escape).
 *
 * @example
 * ```ts
 * import { parsePath } from "@x/mcp-adapter"
 *
 * console.log(parsePath("rooms/a%2Fb"), parsePath("rooms//")) // [ 'rooms', 'a/b' ] undefined
 * ```
 */
export function parsePath(text: string): Path | undefined {
  if (text === "") return []
  const segments = text.split("/").map(decodeSegment)
  return segments.every((segment) => segment !== undefined) ? segments : undefined
}

/** Orders paths: the shorter first, then by their first differing segment in code-unit order, regardless of locale. */
export function comparePaths(a: Path, b: Path): number {
  if (a.length !== b.length) return a.length - b.length
  for (const [index, segment] of a.entries()) {
    const order = compareText(segment, b[index] ?? "")
    if (order !== 0) return order
  }
  return 0
}

/**
 * Encodes any string as one segment of a path or URI: legal by RFC 3986, unchanged by URL normalisation, and decodable.
 * Percent-encoding covers all but a few strings. `~` with four hex digits replaces a lone surrogate, `~` itself, and the dots
 * of `.` and `..`, which URL parsers drop even as `%2E`. An empty string becomes `~`.
 */
function encodeSegment(text: string): string {
  if (text === "") return "~"
  if (text === "." || text === "..") return text.replaceAll(".", escapeUnit)
  return text.replace(LONE_SURROGATE_OR_TILDE, escapeUnit).replace(NEEDS_PERCENT, toPercent)
}

/** Decodes a segment of {@link encodeSegment}. Returns `undefined` when it is malformed. */
function decodeSegment(segment: string): string | undefined {
  if (segment === "~") return ""
  if (segment === "" || BAD_ESCAPE.test(segment)) return undefined
  try {
    return segment
      .split(/~([0-9A-F]{4})/)
      .map(decodePart)
      .join("")
  } catch {
    return undefined
  }
}

const LONE_SURROGATE_OR_TILDE = /[\ud800-\udfff~]/gu
const NEEDS_PERCENT = /[^A-Za-z0-9\-._~]+/g
const BAD_ESCAPE = /~(?![0-9A-F]{4})/

/**
 * Also encodes the five marks that `encodeURIComponent` leaves alone, because URL parsers treat them differently per scheme.
 */
function toPercent(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`)
}

function escapeUnit(unit: string): string {
  return `~${unit.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}`
}

/** Decodes one part of a segment split at its escapes: text at even places, escaped digits at odd ones. */
function decodePart(part: string, place: number): string {
  return place % 2 === 0 ? decodeURIComponent(part) : String.fromCharCode(Number.parseInt(part, 16))
}
