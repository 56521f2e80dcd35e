import { followSource } from "../sources/follow-source.js"
import type { Source } from "../sources/source.js"
import { type Entries, emptyEntries, type Feed } from "./live-map.js"

/** A source of whole maps, with the conversion of its values. */
export interface MapSource<Item> {
  /** Emits all entries at once, any number of times. */
  readonly source: Source<unknown>
  /** Converts a value to entries; former entries are given for reuse. Throws for an invalid value. */
  toEntries(value: unknown, before: Entries<Item>): Entries<Item>
  /** Called with the reason why the map is empty; must not throw. */
  failed(cause: unknown): void
}

/**
 * Creates a live map's feed from a source of whole maps. It emits nothing before the source does. A failed source leaves no
 * entry.
 */
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

/** Returns keys whose items differ between two maps, in any order. */
function differing<Item>(before: Entries<Item>, after: Entries<Item>): readonly string[] {
  const gone = Object.keys(before).filter((key) => after[key] === undefined)
  return [...gone, ...Object.keys(after).filter((key) => before[key] !== after[key])]
}
