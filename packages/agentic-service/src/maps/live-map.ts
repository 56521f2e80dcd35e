import { memberOf } from "@x/tool-schemas/json"
import { Observable, type Subscriber } from "rxjs"
import { settleSources } from "../sources/end-of-run.js"

/** What a live map holds: entries by key, all its own, so that `constructor` and `__proto__` are plain keys. */
export type Entries<Item> = Readonly<Record<string, Item>>

/** A map without entries and without inherited keys. */
export function emptyEntries<Item>(): Record<string, Item> {
  return Object.create(null)
}

/** Tells a value that is still the same. An object may have been changed in place, so only primitives are ever known to be. */
export function isUnchanged(before: unknown, after: unknown): boolean {
  const primitive = (typeof after !== "object" || after === null) && typeof after !== "function"
  return primitive && Object.is(before, after)
}

/** Where a live map gets its entries from. */
export interface Feed<Item> {
  /**
   * Subscribes every source.
   *
   * @param changed - To be called with the keys whose item came, went or is another one, or with none where the feed has only
   * now spoken; also before this returns. Without keys at all, only what is declared may be another: the maps are the same.
   * @returns What lets go of the sources; must not throw.
   */
  connect(changed: (keys?: readonly string[]) => void): () => void
  /** Whether it is known what there is: "not yet" is not "nothing". */
  spoken(): boolean
  /** The item of a key, the same object for as long as nothing about it changed. Stays as it was when the feed is let go. */
  find(key: string): Item | undefined
  /** The keys there are, in their order. */
  keys(): Iterable<string>
}

/**
 * What travels between the services of this package and those who follow them closely: the keys that changed. Whoever wants
 * the whole map subscribes to the observable that this belongs to.
 */
export interface LiveMembers<Item> extends Omit<Feed<Item>, "connect"> {
  /**
   * Follows the members; what there is already is read with `keys` and `find`.
   *
   * @param changed - Called at once with the keys that changed. Must not throw, and should only note them.
   * @returns What ends it; idempotent, never throws.
   */
  follow(changed: (keys: readonly string[]) => void): () => void
  /** Looks again at once at sources of which it is not sure that they have told the truth; `changed` is called before it returns. */
  settle(): void
}

// Registered, so that two copies of this package in one application understand each other. It stands on the observable and
// not on the service, so that a service put together of others' parts never says more than its maps.
const members: unique symbol = Symbol.for("@x/agentic-service/members")

/** What stands behind an observable map, where a service of this package made it. */
export function liveMembersOf<Item>(map: Observable<Entries<Item>>): LiveMembers<Item> | undefined {
  // Only `createLiveMap` writes it, with items of the map's own kind.
  return memberOf(map, members) as LiveMembers<Item> | undefined
}

/** A map that many can follow while its feed is connected once. */
export interface LiveMap<Item> {
  /**
   * Emits the current map at once, or as soon as it is known, then every new one. Connects the feed with the first
   * subscriber, lets go with the last.
   */
  readonly changes: Observable<Entries<Item>>
  /** Completes `changes`, now and for later subscribers; idempotent. */
  close(): void
}

/**
 * Shares one feed among all subscribers. The last map each of them sees is the newest, also where
 * a listener changes a source while it is being told of a change.
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
    // Each time another function, so that one who follows twice is told twice and ends each by itself.
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

/** The subscribers of whole maps. */
interface Readers<Item> {
  /** @returns What lets the subscriber go. */
  join(subscriber: Subscriber<Entries<Item>>): () => void
  any(): boolean
  /** There is another map now: tells everybody who is there. */
  changed(): void
  /** Tells one of the newest map, where there is one and it has not seen it. */
  tell(subscriber: Subscriber<Entries<Item>>): void
  complete(): void
}

/** Tells subscribers of maps, which are put together only where there are any. */
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
    // What a listener throws reaches neither its siblings nor the source: rxjs catches it and reports it later, through
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

/** A feed that is connected at most once, also where connecting leads back here. */
interface Connection {
  /** @returns Whether it has connected the feed. */
  open(): boolean
  /** Whether the feed is being connected, and its sources are still speaking one after the other. */
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
