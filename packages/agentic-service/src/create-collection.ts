import { assembleService } from "./assemble-service.js"
import type { Callable } from "./calls/execute-action.js"
import { createItemLinks } from "./item-links.js"
import { createConditions } from "./maps/conditions.js"
import { createLiveMap, type Feed } from "./maps/live-map.js"
import { createMemberFeed } from "./maps/member-feed.js"
import type { Outcome } from "./outcome.js"
import { createFailures, type Report } from "./report.js"
import type { AgenticService, Link, State } from "./service.js"
import { ServiceError } from "./service-error.js"
import { followSource } from "./sources/follow-source.js"
import type { Source } from "./sources/source.js"

/** Items that come and go, with a service for each. */
interface Collection<Item> {
  /** The items, with one link each. */
  readonly of: Source<readonly Item[]>
  /** Returns an item's link key. */
  readonly key: (item: Item) => string
  /** Creates an item's service, once while its key stays, or while the item itself stays under any key. */
  readonly service: (item: Item) => AgenticService
}

/** Creates the service of a family, with one link per item and no other members. A failed source leaves no links. */
export function createCollection<Item>(name: string, collection: Collection<Item>): AgenticService {
  const { failures, report } = createFailures()
  const nothing = { conditions: createConditions(), failed: () => {} }
  return assembleService({
    name,
    states: createLiveMap<State>(createMemberFeed(new Map(), nothing)),
    actions: createLiveMap<Callable<Outcome>>(createMemberFeed(new Map(), nothing)),
    links: createLiveMap<Link>(createItemFeed(collection, report)),
    declared: { states: {}, actions: {}, links: {} },
    failures,
  })
}

/** Checks the items, because sources are often untyped. */
function expectItems<Item>(items: unknown): readonly Item[] {
  if (Array.isArray(items)) return items
  throw new ServiceError(`found ${typeof items}, expected an array of items`, { code: "invalid_definition" })
}

/** Creates the feed of the items' links. Links of a failed source are hidden, and the same again once it recovers. */
function createItemFeed<Item>(collection: Collection<Item>, report: Report): Feed<Link> {
  const links = createItemLinks(collection, report)
  let spoken = false
  let failed = false
  const connect = (changed: (keys: readonly string[]) => void): (() => void) => {
    spoken = false
    const put = (keys: readonly string[]): void => {
      const first = !spoken
      spoken = true
      if (first || keys.length > 0) changed(keys)
    }
    return followSource(collection.of, {
      next(items) {
        const keys = links.set(expectItems<Item>(items))
        const wasHidden = failed
        failed = false
        put(wasHidden ? [...links.keys()] : keys)
      },
      fail(cause) {
        report({ kind: "link", cause })
        const shown = failed ? [] : [...links.keys()]
        failed = true
        put(shown)
      },
      trouble: (cause) => report({ kind: "link", cause }),
    }).release
  }
  return {
    connect,
    spoken: () => spoken,
    find: (key) => (failed ? undefined : links.find(key)),
    keys: () => (failed ? [] : links.keys()),
  }
}
