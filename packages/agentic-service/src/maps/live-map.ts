import { memberOf } from "@x/base"
import { Observable, type Subscriber } from "rxjs"
import { settleSources } from "../sources/end-of-run.js"

/** Entries of a live map by key. Without a prototype, so that `constructor` and `__proto__` are ordinary keys. */
export type Entries<Item> = Readonly<Record<string, Item>>

/** Creates a map without entries and without inherited keys. */
export function emptyEntries<Item>(): Record<string, Item> {
  return Object.create(null)
}

/** Checks whether a value is certainly unchanged. Objects may have been changed in place, so only primitives can be. */
export function isUnchanged(before: unknown, after: unknown): boolean {
  const primitive = (typeof after !== "object" || after === null) && typeof after !== "function"
  return primitive && Object.is(before, after)
}

/** A live map's source of entries. */
export interface Feed<Item> {
  /**
   * Subscribes to every source.
   *
   * @param changed - Called with the keys whose item came, went or was replaced, or with an empty list when the feed has only
   *   now become ready; possibly before this returns. Without keys, only declarations may have changed: the maps are equal.
   * @returns A function that releases the sources; must not throw.
   */
  connect(changed: (keys?: readonly string[]) => void): () => void
  /** Whether the entries are known: "not yet" differs from "none". */
  spoken(): boolean
  /** Returns a key's item, the same object until it changes. Keeps its last result after the release. */
  find(key: string): Item | undefined
  /** Returns the keys, in order. */
  keys(): Iterable<string>
}

/**
 * Changed keys instead of whole maps, for close followers of this package's services. For whole maps, subscribe to the
 * observable.
 */
export interface LiveMembers<Item> extends Omit<Feed<Item>, "connect"> {
  /**
   * Follows the members; read the present ones with `keys` and `find`.
   *
   * @param changed - Called immediately with changed keys. Must not throw, and should only record them.
   * @returns A function that stops; idempotent, never throws.
   */
  follow(changed: (keys: readonly string[]) => void): () => void
  /** Reads sources again that may be out of date; `changed` is called before it returns. */
  settle(): void
}

// A registered symbol, so that two copies of this package in one application understand each other. It marks the observable and
// not the service, so that a service composed of others' parts never reports more than its maps.
const members: unique symbol = Symbol.for("@x/agentic-service/members")

/**
 * Returns the members behind an observable map, if a service of this package created it.
 *
 * @example
 * ```ts
 * import { createAgenticService, state } from "@x/agentic-service"
 * import { liveMembersOf } from "@x/agentic-service/adapter"
 * import { BehaviorSubject } from "rxjs"
 *
 * const count = new BehaviorSubject(1)
 * const states = { count: state({ schema: { type: "integer" }, value: count }) }
 * const members = liveMembersOf(createAgenticService({ name: "counter", states }).states)
 * const stop = members?.follow((keys) => console.log(keys, members.find("count")?.value)) // [ 'count' ] 2
 * count.next(2)
 * stop?.()
 * ```
 */
export function liveMembersOf<Item>(map: Observable<Entries<Item>>): LiveMembers<Item> | undefined {
  // Only `createLiveMap` writes it, with items of the map's own kind.
  return memberOf(map, members) as LiveMembers<Item> | undefined
}

/** A map with many followers and one connection of its feed. */
export interface LiveMap<Item> {
  /**
   * Emits the current map immediately, or as soon as it is known, then every new one. Connects the feed with the first
   * subscriber, and releases it with the last.
   */
  readonly changes: Observable<Entries<Item>>
  /** Completes `changes`, now and for later subscribers. Idempotent. */
  close(): void
}

/**
 * Shares one feed among all subscribers. Each subscriber's last map is the newest, even if a listener changes a source during
 * an emission.
 */
export function createLiveMap<Item>(feed: Feed<Item>): LiveMap<Item> {
  const followers = new Set<(keys: readonly string[]) => void>()
  const connection: Connection = createConnection(feed, changed, () => readers.any() || followers.size > 0)
  const readers = createReaders(feed, connection.busy)
  let closed = false

  function changed(keys?: readonly string[]): void {
    if (!connection.busy()) for (const follower of [...followers]) follower(keys ?? [])
    if (keys !== undefined) readers.changed()
  }

  const changes = new Observable<Entries<Item>>((subscriber) => {
    if (closed) return subscriber.complete()
    subscriber.add(readers.join(subscriber))
    subscriber.add(connection.releaseUnlessWanted)
    if (connection.open()) readers.changed()
    else readers.tell(subscriber)
    return undefined
  })

  const follow = (changed: (keys: readonly string[]) => void): (() => void) => {
    if (closed) return () => {}
    // A new function per follower, so that a repeated follower is called twice and ends each by itself.
    const own = (keys: readonly string[]): void => changed(keys)
    followers.add(own)
    if (connection.open()) readers.changed()
    return () => {
      followers.delete(own)
      connection.releaseUnlessWanted()
    }
  }
  const live: LiveMembers<Item> = {
    follow,
    spoken: () => closed || feed.spoken(),
    find: (key) => feed.find(key),
    keys: () => feed.keys(),
    settle: settleSources,
  }
  Object.defineProperty(changes, members, { value: live })

  const close = (): void => {
    closed = true
    readers.complete()
    followers.clear()
    connection.releaseUnlessWanted()
  }
  return { changes, close }
}

/** Subscribers of whole maps. */
interface Readers<Item> {
  /** @returns A function that removes the subscriber. */
  join(subscriber: Subscriber<Entries<Item>>): () => void
  any(): boolean
  /** Emits the changed map to all subscribers. */
  changed(): void
  /** Emits the newest map to one subscriber, if known and not yet emitted. */
  tell(subscriber: Subscriber<Entries<Item>>): void
  complete(): void
}

/** Creates an emitter of maps, built only for existing subscribers. */
function createReaders<Item>(feed: Feed<Item>, busy: () => boolean): Readers<Item> {
  const seen = new Map<Subscriber<Entries<Item>>, Entries<Item> | undefined>()
  let entries: Entries<Item> | undefined
  let telling = false
  let dirty = false

  const tell = (subscriber: Subscriber<Entries<Item>>): void => {
    if (!seen.has(subscriber) || !feed.spoken()) return
    entries ??= collect(feed)
    if (seen.get(subscriber) === entries) return
    seen.set(subscriber, entries)
    // Errors of a listener reach neither siblings nor the source: rxjs catches and reports them later, through
    // `config.onUnhandledError`.
    subscriber.next(entries)
  }
  const changed = (): void => {
    entries = undefined
    dirty = true
    if (telling || busy()) return
    telling = true
    while (dirty) {
      dirty = false
      for (const subscriber of [...seen.keys()]) tell(subscriber)
    }
    telling = false
  }

  return {
    join(subscriber) {
      seen.set(subscriber, undefined)
      return () => seen.delete(subscriber)
    },
    any: () => seen.size > 0,
    changed,
    tell,
    complete() {
      for (const subscriber of [...seen.keys()]) subscriber.complete()
    },
  }
}

function collect<Item>(feed: Feed<Item>): Entries<Item> {
  const entries = emptyEntries<Item>()
  for (const key of feed.keys()) {
    const item = feed.find(key)
    if (item !== undefined) entries[key] = item
  }
  return entries
}

/** A feed that is connected at most once, even when connecting re-enters here. */
interface Connection {
  /** @returns Whether it has connected the feed. */
  open(): boolean
  /** Whether the feed is being connected, while its sources emit one after another. */
  busy(): boolean
  releaseUnlessWanted(): void
}

function createConnection<Item>(
  feed: Feed<Item>,
  changed: (keys?: readonly string[]) => void,
  wanted: () => boolean,
): Connection {
  let state: "closed" | "opening" | "open" = "closed"
  let disconnect = (): void => {}

  const releaseUnlessWanted = (): void => {
    if (state !== "open" || wanted()) return
    state = "closed"
    disconnect()
  }

  const open = (): boolean => {
    if (state !== "closed") return false
    state = "opening"
    disconnect = feed.connect(changed)
    state = "open"
    releaseUnlessWanted()
    return true
  }

  return { open, busy: () => state === "opening", releaseUnlessWanted }
}
