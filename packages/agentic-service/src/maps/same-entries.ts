import type { Entries } from "./feed.js"

/** Tells whether two maps hold the very same items under the same keys, in whatever order. */
export function sameEntries<Item>(before: Entries<Item>, after: Entries<Item>): boolean {
  const keys = Object.keys(after)
  return Object.keys(before).length === keys.length && keys.every((key) => before[key] === after[key])
}
