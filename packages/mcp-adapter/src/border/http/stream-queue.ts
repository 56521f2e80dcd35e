import { type Cancel, type Host, startTimer } from "../../runtime/host.js"
import { type Encoded, sizeOfEncoded } from "../server/encoded.js"
import type { Exchange } from "./exchange.js"

/** The events of one stream on their way to a peer, which reads them at its own pace. */
export interface StreamQueue {
  /** Writes events, or lets them wait behind those that wait. */
  add(events: Encoded): void
  /**
   * Writes a notice, or lets it wait. Does nothing while one of the same key waits.
   *
   * @param format - Makes the event; called only if it is added.
   */
  addOnce(key: string, format: () => Encoded): void
  /** How many bytes the peer has not taken: those on their way and those that wait. */
  unsent(): number
  /** Runs `callback` once nothing waits any more; at once if nothing does. */
  whenWritten(callback: () => void): void
  /** Forgets what waits. */
  close(): void
}

/** What a stream queue stands on. */
export interface QueueSite {
  /** Time, and what is held. */
  readonly host: Pick<Host, "clock" | "ledger">
  /** Told how much more the peer has not taken than before, which may be less. */
  readonly grow: (bytes: number) => void
  /** Told when the peer is dropped, and why. */
  readonly dropped: (reason: string) => void
}

/** How many bytes are on their way to a peer at once: 256 kB. One event alone may be larger. The rest waits. */
const UNSENT_LIMIT = 2 ** 18

/** How many bytes may wait for a peer that reads. */
const WAITING_LIMIT = 16 * 2 ** 20

/** How often a peer that something waits for is looked at, in milliseconds, and how often it may have taken nothing. */
const LOOK = 1_000
const STALLED = 10

/** Creates the queue of one stream. The peer is dropped if it takes nothing for 10 s, or leaves more than 16 MB waiting. */
export function createStreamQueue(exchange: Exchange, { host, grow, dropped }: QueueSite): StreamQueue {
  const events = createWaiting(exchange)
  let counted = 0
  let closed = false
  let written: (() => void) | undefined
  const unsent = (): number => events.held() + exchange.unread()
  const count = (): void => {
    const more = unsent() - counted
    counted += more
    if (more !== 0) grow(more)
  }
  const close = (): void => {
    closed = true
    events.clear()
    watch.stop()
  }
  const drop = (reason: string): void => {
    close()
    dropped(reason)
    exchange.drop()
  }
  /** Returns whether it wrote anything. */
  const drain = (): boolean => {
    if (events.held() === 0) return false
    const wrote = events.write()
    count()
    if (events.held() > 0) return wrote
    watch.stop()
    written?.()
    return wrote
  }
  const watch = createWatch(host, {
    // Not every host tells of room.
    takes: createTakes(exchange, drain),
    stalled: () => drop(`took nothing for ${STALLED} s while ${events.held()} bytes waited`),
  })
  const add = (key: unknown, format: () => Encoded): void => {
    if (closed) return
    events.add(key, format)
    count()
    if (events.held() > WAITING_LIMIT) drop(`left more than ${WAITING_LIMIT} bytes waiting`)
    else if (events.held() > 0) watch.start()
  }
  exchange.onRoom(() => void drain())
  return {
    add: (text) => add({}, () => text),
    addOnce: add,
    unsent,
    whenWritten(callback) {
      if (events.held() === 0) callback()
      else written = callback
    },
    close,
  }
}

/** What waits for room, in order. */
interface Waiting {
  /** Writes what `format` makes, or lets it wait; nothing while something of the same key waits. */
  add(key: unknown, format: () => Encoded): void
  /** Writes what there is room for. Returns whether it wrote anything. */
  write(): boolean
  /** How many bytes wait. */
  held(): number
  clear(): void
}

function createWaiting(exchange: Exchange): Waiting {
  const waiting = new Map<unknown, Encoded>()
  let held = 0
  let writing = false
  return {
    add(key, format) {
      if (waiting.has(key)) return
      const events = format()
      if (waiting.size === 0 && exchange.unread() <= UNSENT_LIMIT) return exchange.write(events)
      waiting.set(key, events)
      held += sizeOfEncoded(events)
    },
    write() {
      // A write may free room at once.
      if (writing) return false
      writing = true
      const before = waiting.size
      for (const [key, events] of waiting) {
        if (exchange.unread() > UNSENT_LIMIT) break
        waiting.delete(key)
        held -= sizeOfEncoded(events)
        exchange.write(events)
      }
      writing = false
      return waiting.size < before
    },
    held: () => held,
    clear() {
      waiting.clear()
      held = 0
    },
  }
}

/** Returns whether the peer has taken anything since it was last called. */
function createTakes(exchange: Exchange, drain: () => boolean): () => boolean {
  let unread = Number.POSITIVE_INFINITY
  return () => {
    const before = unread
    const wrote = drain()
    const taken = wrote || exchange.unread() < before
    unread = exchange.unread()
    return taken
  }
}

/** A timer that runs while something waits. */
interface Watch {
  /** Begins, unless it runs. */
  start(): void
  stop(): void
}

function createWatch(
  host: QueueSite["host"],
  { takes, stalled }: { readonly takes: () => boolean; readonly stalled: () => void },
): Watch {
  let cancel: Cancel | undefined
  let looks = 0
  const look = (): void => {
    cancel = startTimer(host, LOOK, () => {
      looks = takes() ? 0 : looks + 1
      // Stopped, where nothing waits any more.
      if (cancel === undefined) return
      if (looks >= STALLED) stalled()
      else look()
    })
  }
  return {
    start() {
      if (cancel !== undefined) return
      looks = 0
      takes()
      look()
    },
    stop() {
      cancel?.()
      cancel = undefined
    },
  }
}
