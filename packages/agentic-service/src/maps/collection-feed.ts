import type { Report } from "../members/member.js"
import type { AgenticService, Link } from "../service.js"
import { ServiceError } from "../service-error.js"
import type { Source } from "../sources/source.js"
import { toObservable } from "../sources/to-observable.js"
import { type Entries, emptyEntries, type Feed } from "./feed.js"
import { createLinkMaker } from "./link-maker.js"
import { sameEntries } from "./same-entries.js"

/** Items that come and go, and the service of each. */
export interface Collection<Item> {
  /** The items, one link each. */
  readonly of: Source<readonly Item[]>
  /** The link's key. */
  readonly key: (item: Item) => string
  /** Makes the item's service; once for as long as its key stays. */
  readonly service: (item: Item) => AgenticService
}

/** Feeds one link per item. A source that fails leaves none, and is reported. */
export function createCollectionFeed<Item>(collection: Collection<Item>, report: Report): Feed<Link> {
  const toLinks = createLinkMaker(collection, report)
  let entries: Entries<Link> = emptyEntries()

  const connect = (changed: () => void): (() => void) => {
    const update = (items: readonly Item[]): void => {
      const next = toLinks(items)
      if (sameEntries(entries, next)) return
      entries = next
      changed()
    }
    const failed = (cause: unknown): void => {
      report({ kind: "link", cause })
      update([])
    }
    const next = (items: unknown): void => {
      if (isItems<Item>(items)) update(items)
      else failed(new ServiceError(`found ${typeof items}, expected an array of items`, { code: "invalid_definition" }))
    }
    const subscription = toObservable(collection.of).subscribe({ next, error: failed })
    return () => subscription.unsubscribe()
  }
  return { connect, read: () => entries }
}

/** The types say so, but sources are often written without them. */
function isItems<Item>(items: unknown): items is readonly Item[] {
  return Array.isArray(items)
}
