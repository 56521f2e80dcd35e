import { compareText } from "@x/tool-schemas/json"
/** A service's place in the graph: the link keys that lead to it from the root; empty for the root. */
export type Path = readonly string[]

/**
 * Writes a path as text: each segment percent-encoded, joined by `/`. The root is the empty string.
 * No two paths give the same text.
 */
export function formatPath(path: Path): string {
  return path.map(encodeSegment).join("/")
}

/** Reads what {@link formatPath} wrote; `undefined` when the text is malformed (an empty segment, a bad escape). */
export function parsePath(text: string): Path | undefined {
  if (text === "") return []
  const segments = text.split("/").map(decodeSegment)
  return segments.every((segment) => segment !== undefined) ? segments : undefined
}

/** Orders paths: the shorter first, then by their first differing segment in code-unit order, whatever the locale. */
export function comparePaths(a: Path, b: Path): number {
  if (a.length !== b.length) return a.length - b.length
  for (const [index, segment] of a.entries()) {
    const order = compareText(segment, b[index] ?? "")
    if (order !== 0) return order
  }
  return 0
}

/**
 * Writes any string as one segment of a path or URI: legal by RFC 3986, unchanged by URL normalisation, and
 * decodable. Percent-encoding carries all but a few strings; `~` escapes those: a lone surrogate, `~` itself, and
 * the dots of `.` and `..` (which URL parsers drop even as `%2E`) become `~` with four hex digits, an empty string `~`.
 */
function encodeSegment(text: string): string {
  if (text === "") return "~"
  if (text === "." || text === "..") return text.replaceAll(".", escapeUnit)
  return text.replace(LONE_SURROGATE_OR_TILDE, escapeUnit).replace(NEEDS_PERCENT, toPercent)
}

/** Reads what {@link encodeSegment} wrote; `undefined` when that cannot have been it. */
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

/** `encodeURIComponent` leaves five marks alone, and URL parsers treat them differently from scheme to scheme. */
function toPercent(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`)
}

function escapeUnit(unit: string): string {
  return `~${unit.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}`
}

/** Splitting at the escapes leaves text at the even places and the escapes' digits at the odd ones. */
function decodePart(part: string, place: number): string {
  return place % 2 === 0 ? decodeURIComponent(part) : String.fromCharCode(Number.parseInt(part, 16))
}
