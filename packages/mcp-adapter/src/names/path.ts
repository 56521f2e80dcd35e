import { decodeSegment, encodeSegment } from "./segment.js"

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
    const other = b[index] ?? ""
    if (segment !== other) return segment < other ? -1 : 1
  }
  return 0
}
