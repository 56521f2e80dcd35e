import { type Entries, emptyEntries, type Feed } from "../maps/feed.js"
import { sameEntries } from "../maps/same-entries.js"
import type { Report } from "../members/member.js"
import type { MemberFailure } from "../service.js"
import { ServiceError } from "../service-error.js"
import type { Source } from "../sources/source.js"
import { toObservable } from "../sources/to-observable.js"

/** A foreign map and how its entries become ours. */
export interface ForeignMap<Item> {
  /** Which map. */
  readonly kind: MemberFailure["kind"]
  /** Emits the whole map, however often. */
  readonly source: Source<unknown>
  /**
   * Makes an item of an entry: the one it was before where nothing about it changed, `undefined` where there is
   * none. May throw; then the entry is left out.
   */
  toItem(entry: unknown, key: string, before: Item | undefined): Item | undefined
  /** Is told of every entry that cannot be taken, once for as long as it stays. */
  readonly report: Report
}

/** Feeds a live map from a foreign one. Entries that cannot be taken are left out, the others are served. */
export function createForeignFeed<Item>({ kind, source, toItem, report }: ForeignMap<Item>): Feed<Item> {
  let entries: Entries<Item> = emptyEntries()
  let broken = new Set<string>()

  const convert = (map: object): Entries<Item> => {
    const next = emptyEntries<Item>()
    const failing = new Set<string>()
    for (const key of Object.keys(map)) {
      try {
        const item = toItem(Reflect.get(map, key), key, entries[key])
        if (item !== undefined) next[key] = item
      } catch (cause) {
        failing.add(key)
        if (!broken.has(key)) report({ kind, key, cause })
      }
    }
    broken = failing
    return next
  }

  const connect = (changed: () => void): (() => void) => {
    const update = (next: Entries<Item>): void => {
      if (sameEntries(entries, next)) return
      entries = next
      changed()
    }
    const failed = (cause: unknown): void => {
      report({ kind, cause })
      update(emptyEntries())
    }
    const next = (map: unknown): void => {
      if (map === null || map === undefined) update(emptyEntries())
      else if (typeof map === "object" && !Array.isArray(map)) update(convert(map))
      else failed(notAMap(map))
    }
    const subscription = toObservable(source).subscribe({ next, error: failed })
    return () => subscription.unsubscribe()
  }
  return { connect, read: () => entries }
}

function notAMap(map: unknown): ServiceError {
  const found = Array.isArray(map) ? "an array" : typeof map
  return new ServiceError(`found ${found}, expected an object of entries by key`, { code: "invalid_definition" })
}
