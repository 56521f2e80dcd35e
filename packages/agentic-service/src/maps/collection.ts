import { assembleService } from "../assemble-service.js"
import type { Callable } from "../calls/execute-action.js"
import { toAgenticService } from "../foreign/to-agentic-service.js"
import type { Outcome } from "../outcome.js"
import { createFailures, type Report } from "../report.js"
import type { AgenticService, Link, State } from "../service.js"
import { ServiceError } from "../service-error.js"
import type { Source } from "../sources/source.js"
import { createConditions } from "./conditions.js"
import { createLiveMap, type Entries, emptyEntries } from "./live-map.js"
import { createMemberFeed } from "./member-feed.js"
import { createSourceFeed } from "./source-feed.js"

/** Items that come and go, and the service of each. */
interface Collection<Item> {
  /** The items, one link each. */
  readonly of: Source<readonly Item[]>
  /** The link's key. */
  readonly key: (item: Item) => string
  /** Makes the item's service; once for as long as its key stays, or the item itself under whichever key. */
  readonly service: (item: Item) => AgenticService
}

/** Makes the service that holds a family of links, one per item, and nothing else. A source that fails leaves none. */
export function createCollection<Item>(name: string, collection: Collection<Item>): AgenticService {
  const { failures, report } = createFailures()
  const nothing = { conditions: createConditions(), failed: () => {} }
  const toLinks = createLinkMaker(collection, report)
  return assembleService({
    name,
    states: createLiveMap<State>(createMemberFeed(new Map(), nothing)),
    actions: createLiveMap<Callable<Outcome>>(createMemberFeed(new Map(), nothing)),
    links: createLiveMap<Link>(
      createSourceFeed({
        source: collection.of,
        toEntries: (items) => toLinks(expectItems<Item>(items)),
        failed: (cause) => report({ kind: "link", cause }),
      }),
    ),
    declared: { states: {}, actions: {}, links: {} },
    failures,
  })
}

/** The types say so, but sources are often written without them. */
function expectItems<Item>(items: unknown): readonly Item[] {
  if (Array.isArray(items)) return items
  throw new ServiceError(`found ${typeof items}, expected an array of items`, { code: "invalid_definition" })
}

/** What a key stands for. */
interface Kept<Item> {
  /** The item, as it was emitted last. */
  readonly item: Item
  /** Its link; absent where its service cannot be had. */
  readonly link: Link | undefined
}

/** The items of two emissions, by which those that have moved are known. */
interface Moves<Item> {
  /** The links of the former items. */
  readonly before: ReadonlyMap<Item, Link | undefined>
  /** The items there are now. */
  readonly now: ReadonlySet<Item>
}

/**
 * Makes links of items. A key finds an item, and its link stays the same object while the key stays, also where the item is emitted
 * as a new object. An item that comes back under another key takes its link with it: keys such as indices move. An item whose key
 * or service cannot be had is left out, and reported once for as long as its key stays.
 */
function createLinkMaker<Item>(
  { key, service }: Pick<Collection<Item>, "key" | "service">,
  report: Report,
): (items: readonly Item[]) => Entries<Link> {
  let known = new Map<string, Kept<Item>>()
  let doubled = new Set<string>()

  const keyOf = (item: Item): string | undefined => {
    try {
      return key(item)
    } catch (cause) {
      report({ kind: "link", cause })
      return undefined
    }
  }
  const make = (name: string, item: Item): Link | undefined => {
    try {
      return { service: toAgenticService(service(item)) }
    } catch (cause) {
      report({ kind: "link", key: name, cause })
      return undefined
    }
  }

  const byKey = (items: readonly Item[]): Map<string, Item> => {
    const first = new Map<string, Item>()
    const again = new Set<string>()
    for (const item of items) {
      const name = keyOf(item)
      if (name === undefined) continue
      if (first.has(name)) again.add(name)
      else first.set(name, item)
    }
    for (const name of again) if (!doubled.has(name)) report({ kind: "link", key: name, cause: duplicate(name) })
    doubled = again
    return first
  }

  const keep = (name: string, item: Item, { before, now }: Moves<Item>): Link | undefined => {
    const own = known.get(name)
    if (own !== undefined && Object.is(own.item, item)) return own.link
    if (before.has(item)) return before.get(item)
    // What the key stood for is under another key now.
    return own === undefined || now.has(own.item) ? make(name, item) : own.link
  }

  return (items) => {
    const first = byKey(items)
    const moves = {
      before: new Map([...known.values()].map(({ item, link }) => [item, link])),
      now: new Set(first.values()),
    }
    known = new Map([...first].map(([name, item]) => [name, { item, link: keep(name, item, moves) }]))
    const entries = emptyEntries<Link>()
    for (const [name, { link }] of known) if (link) entries[name] = link
    return entries
  }
}

function duplicate(name: string): ServiceError {
  return new ServiceError(`found two items with key "${name}", expected one; the first is kept`, {
    code: "invalid_definition",
  })
}
