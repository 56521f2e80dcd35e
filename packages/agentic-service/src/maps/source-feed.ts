import { followSource } from "../sources/follow-source.js"
import type { Source } from "../sources/source.js"
import { type Entries, emptyEntries, type Feed } from "./live-map.js"

/** One source of whole maps, and how its values become entries. */
export interface MapSource<Item> {
  /** Says what there is, all at once, however often. */
  readonly source: Source<unknown>
  /** Makes the entries of a value; those of before are given to be kept. Throws where it is no value of that kind. */
  toEntries(value: unknown, before: Entries<Item>): Entries<Item>
  /** Is told why there is nothing; must not throw. */
  failed(cause: unknown): void
}

/** Feeds a live map from a source of whole maps. Says nothing before the source does; one that fails leaves no entry. */
export function createSourceFeed<Item>({ source, toEntries, failed }: MapSource<Item>): Feed<Item> {
  let entries: Entries<Item> = emptyEntries()
  let spoken = false

  const connect = (changed: (keys: readonly string[]) => void): (() => void) => {
    spoken = false
    const put = (next: Entries<Item>): void => {
      const keys = differing(entries, next)
      const first = !spoken
      entries = next
      spoken = true
      if (first || keys.length > 0) changed(keys)
    }
    return followSource(source, {
      next: (value) => put(toEntries(value, entries)),
      fail(cause) {
        failed(cause)
        put(emptyEntries())
      },
      trouble: failed,
    }).release
  }

  return {
    connect,
    spoken: () => spoken,
    find: (key) => entries[key],
    keys: () => Object.keys(entries),
  }
}

/** The keys under which two maps do not hold the very same item, whatever their order. */
function differing<Item>(before: Entries<Item>, after: Entries<Item>): readonly string[] {
  const gone = Object.keys(before).filter((key) => after[key] === undefined)
  return [...gone, ...Object.keys(after).filter((key) => before[key] !== after[key])]
}
