import { Observable, type Subscriber } from "rxjs"

/** A map that many can follow while its feed is connected once. */
export interface LiveMap<Item> {
  /** Emits the current map at once, then every new one. Connects the feed with the first subscriber, lets go with the last. */
  readonly changes: Observable<Entries<Item>>
  /** Completes `changes`, now and for later subscribers; idempotent. */
  close(): void
}

/**
 * Shares one feed among all subscribers. The last map each of them sees is the newest, also where
 * a listener changes a source while it is being told of a change.
 */
export function createLiveMap<Item>(feed: Feed<Item>): LiveMap<Item> {
  const seen = new Map<Subscriber<Entries<Item>>, Entries<Item> | undefined>()
  const connection = createConnection(feed, changed, () => seen.size > 0)
  let telling = false
  let dirty = false
  let closed = false

  function changed(): void {
    dirty = true
    if (telling || connection.busy()) return
    telling = true
    while (dirty) {
      dirty = false
      for (const subscriber of [...seen.keys()]) tell(subscriber)
    }
    telling = false
  }

  function tell(subscriber: Subscriber<Entries<Item>>): void {
    if (!seen.has(subscriber)) return
    const map = feed.read()
    if (seen.get(subscriber) === map) return
    seen.set(subscriber, map)
    // What a listener throws reaches neither its siblings nor the source: rxjs catches it and reports it later, through
    // `config.onUnhandledError`.
    subscriber.next(map)
  }

  const changes = new Observable<Entries<Item>>((subscriber) => {
    if (closed) return subscriber.complete()
    seen.set(subscriber, undefined)
    subscriber.add(() => {
      seen.delete(subscriber)
      connection.releaseUnlessWanted()
    })
    connection.open()
    tell(subscriber)
    changed()
    return undefined
  })

  const close = (): void => {
    closed = true
    for (const subscriber of [...seen.keys()]) subscriber.complete()
  }

  return { changes, close }
}

/** A feed that is connected at most once, also where connecting leads back here. */
interface Connection {
  open(): void
  /** Whether the feed is being connected, and its sources are still speaking one after the other. */
  busy(): boolean
  releaseUnlessWanted(): void
}

function createConnection<Item>(feed: Feed<Item>, changed: () => void, wanted: () => boolean): Connection {
  let state: "closed" | "opening" | "open" = "closed"
  let disconnect = (): void => {}

  const releaseUnlessWanted = (): void => {
    if (state !== "open" || wanted()) return
    state = "closed"
    disconnect()
  }

  const open = (): void => {
    if (state !== "closed") return
    state = "opening"
    disconnect = feed.connect(changed)
    state = "open"
    releaseUnlessWanted()
  }

  return { open, busy: () => state === "opening", releaseUnlessWanted }
}

/** What a live map holds: entries by key, all its own, so that `constructor` and `__proto__` are plain keys. */
export type Entries<Item> = Readonly<Record<string, Item>>

/** Where a live map gets its entries from. */
export interface Feed<Item> {
  /**
   * Subscribes every source.
   *
   * @param changed - To be called whenever {@link Feed.read} would answer something new, also before this returns.
   * @returns What lets go of the sources; must not throw.
   */
  connect(changed: () => void): () => void
  /** The map as it is now: the same object for as long as nothing changed. Only asked while connected. */
  read(): Entries<Item>
}

/** A map without entries and without inherited keys. */
export function emptyEntries<Item>(): Record<string, Item> {
  return Object.create(null)
}

/** Tells whether two maps hold the very same items under the same keys, in whatever order. */
export function sameEntries<Item>(before: Entries<Item>, after: Entries<Item>): boolean {
  const keys = Object.keys(after)
  return Object.keys(before).length === keys.length && keys.every((key) => before[key] === after[key])
}

/** Tells a value that is still the same. An object may have been changed in place, so only primitives are ever known to be. */
export function isUnchanged(before: unknown, after: unknown): boolean {
  const primitive = (typeof after !== "object" || after === null) && typeof after !== "function"
  return primitive && Object.is(before, after)
}
