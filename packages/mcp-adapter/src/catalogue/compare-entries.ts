import { comparePaths } from "../names/path.js"
import type { StateEntry, ToolEntry } from "./entry.js"

/** Decides between two that claim the same: the alphabetically first path, then key, has the better claim. */
export function byPathAndKey(a: ToolEntry | StateEntry, b: ToolEntry | StateEntry): number {
  const byPath = comparePaths(a.path, b.path)
  if (byPath !== 0 || a.key === b.key) return byPath
  return a.key < b.key ? -1 : 1
}
