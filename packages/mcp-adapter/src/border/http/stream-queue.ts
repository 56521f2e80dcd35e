import { type Cancel, type Host, startTimer } from "../../runtime/host.js"
import { type Encoded, sizeOfEncoded } from "../server/encoded.js"
import type { Exchange } from "./exchange.js"

/** The events of one stream on their way to a client that reads at its own pace. */
export interface StreamQueue {
  /** Writes events, or queues them behind those that wait. */
  add(events: Encoded): void
  /**
   * Writes a notice or queues it. Does nothing while one with the same key waits.
   *
   * @param format - Creates the event; called only if it is added.
   */
  addOnce(key: string, format: () => Encoded): void
  /** Returns how many bytes the client has not read, in the socket and in the queue. */
  unsent(): number
  /** Runs `callback` once the queue is empty; at once if it already is. */
  whenWritten(callback: () => void): void
  /** Drops queued events. */
  close(): void
}

/** The context of a stream queue. */
export interface QueueSite {
  /** Provides the clock and counts timers. */
  readonly host: Pick<Host, "clock" | "ledger">
  /** Takes the change in unread bytes, which may be negative. */
  readonly grow: (bytes: number) => void
  /** Takes the reason when the client is disconnected. */
  readonly dropped: (reason: string) => void
}

/** The most bytes in the socket: 256 kB. The rest is queued. A single event may be larger. */
const UNSENT_LIMIT = 2 ** 18

/** The most bytes that may be queued for a client that reads. */
const WAITING_LIMIT = 16 * 2 ** 20

/** Milliseconds between checks of a client with queued events, and how many checks it may read nothing for. */
const LOOK = 1_000
const STALLED = 10

/**
 * Creates the queue of one stream. The client is disconnected if it reads nothing for 10 s, or leaves more than 16 MB queued.
 */
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
    // Some hosts do not report room in the socket.
    takes: createTakes(exchange, drain),
    stalled: () => drop(`read nothing for ${STALLED} s while ${events.held()} bytes were queued`),
  })
  const add = (key: unknown, format: () => Encoded): void => {
    if (closed) return
    events.add(key, format)
    count()
    if (events.held() > WAITING_LIMIT) drop(`left more than ${WAITING_LIMIT} bytes queued`)
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

/** Queued events, in order. */
interface Waiting {
  /** Writes the event that `format` creates, or queues it; does nothing while one with the same key is queued. */
  add(key: unknown, format: () => Encoded): void
  /** Writes events until the socket is full. Returns whether it wrote anything. */
  write(): boolean
  /** Returns how many bytes are queued. */
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
      // A write may report room at once.
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

/** Returns whether the client has read anything since the last call. */
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

/** A timer that runs while events are queued. */
interface Watch {
  /** Starts the timer, unless it runs. */
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
      // Stopped because the queue is empty.
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
