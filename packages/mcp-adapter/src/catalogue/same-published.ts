import equal from "fast-deep-equal"
import type { Entry } from "./entry.js"

/** Whether two entries tell clients the same, whatever stands behind them. */
export function samePublished(a: Entry, b: Entry): boolean {
  if (a === b) return true
  if (a.kind === "link" || b.kind === "link") {
    if (a.kind !== "link" || b.kind !== "link") return false
    return a.description === b.description && equal(a.path, b.path) && equal(a.canonical, b.canonical)
  }
  return a.definition === b.definition || equal(a.definition, b.definition)
}
