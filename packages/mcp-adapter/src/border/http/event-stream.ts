import { type Cancel, type Host, once, startTimer } from "../../runtime/host.js"
import { type Encoded, joinEncoded } from "../server/encoded.js"
import type { Exchange } from "./exchange.js"

/** One clock for everything that waits at an endpoint, instead of a timer for each. */
export interface Beats {
  /**
   * Runs `beat` when the first seconds are over, and about every fifteen then, until it is taken back.
   *
   * @param beat - Takes how many there have been before it.
   */
  add(beat: (beats: number) => void): Cancel
}

/** Nobody waits, and no timer runs. */
export function createBeats(host: Pick<Host, "clock" | "ledger">): Beats {
  const waiting = new Map<(beats: number) => void, number>()
  let stop: Cancel | undefined
  const tick = (): void => {
    stop = waiting.size > 0 ? startTimer(host, TICK, tick) : undefined
    for (const [beat, ticks] of waiting) {
      waiting.set(beat, ticks + 1)
      if (ticks % TICKS === 1) beat((ticks - 1) / TICKS)
    }
  }
  return {
    add(beat) {
      // A function of its own, so that what is added twice is there twice.
      const added = (beats: number): void => beat(beats)
      waiting.set(added, 0)
      stop ??= startTimer(host, TICK, tick)
      return () => {
        waiting.delete(added)
        if (waiting.size > 0) return
        stop?.()
        stop = undefined
      }
    },
  }
}

/** In milliseconds. The first beat comes with the second tick, so between 2.5 and 5 s. */
const TICK = 2_500
const TICKS = 6

/** Server-sent events to one peer. */
export interface EventStream {
  /** Writes what is formatted as one or more events. Nothing once it has ended, however it ended. */
  write(events: Encoded): void
  /** Ends it. */
  end(): void
}

/** What an event stream needs of its surroundings. */
export interface StreamSite {
  /** Keeps it alive through proxies. */
  readonly beats: Beats
  /** Notes that there is one more stream; the returned function notes its end. */
  readonly opened: () => () => void
  /** Told how much more the peer leaves unread than before, which may be less. */
  readonly grow: (bytes: number) => void
  /** Told when the peer is dropped because it does not read. */
  readonly dropped: () => void
}

/** How many bytes a peer may leave unread when the next ones come: 1 MB. One event alone may be larger. */
export const UNSENT_LIMIT: number = 2 ** 20

/**
 * Begins an answer that is an event stream, and keeps it alive with comments. The peer is dropped when it has more than
 * {@link UNSENT_LIMIT} bytes waiting when the next ones come.
 *
 * @param headers - Further headers.
 */
export function createEventStream(
  exchange: Exchange,
  headers: Readonly<Record<string, string>>,
  site: StreamSite,
): EventStream {
  const closed = site.opened()
  let unread = 0
  let open = true
  const write = (events: Encoded): void => {
    if (!open) return
    if (exchange.unread() > UNSENT_LIMIT) {
      site.dropped()
      exchange.drop()
      return
    }
    exchange.write(events)
    const now = exchange.unread()
    if (now !== unread) site.grow(now - unread)
    unread = now
  }
  exchange.begin({ status: 200, headers: { ...HEADERS, ...headers } })
  const rest = site.beats.add(() => write(KEEP_ALIVE))
  exchange.onOver(
    once(() => {
      open = false
      rest()
      closed()
    }),
  )
  return {
    write,
    end() {
      open = false
      rest()
      exchange.end()
      // What the peer has not taken yet is on its way, and nothing more will be.
      closed()
    },
  }
}

const HEADERS = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache, no-transform",
  // Proxies are not to hold it back.
  "x-accel-buffering": "no",
}

/** A comment. It tells proxies that the connection is in use, and us that the peer is gone. */
const KEEP_ALIVE = ": keepalive\n\n"

/** A message as an event. */
export function toEvent(json: Encoded, id?: string): Encoded {
  return joinEncoded(id === undefined ? "event: message\ndata: " : `event: message\nid: ${id}\ndata: `, json, "\n\n")
}
