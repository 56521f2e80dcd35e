import { type Cancel, type Host, once, startTimer } from "../../runtime/host.js"
import { type Encoded, joinEncoded } from "../server/encoded.js"
import type { Exchange } from "./exchange.js"
import { createStreamQueue, type QueueSite } from "./stream-queue.js"

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
  /**
   * Writes a notification, unless the same one still waits for the peer to read.
   *
   * @param format - Makes an event of it. Default: one without an id.
   */
  notify(json: string, format?: (json: string) => Encoded): void
  /** Ends it, after what still waits for the peer. */
  end(): void
}

/** An event stream, as its endpoint sees it. */
export interface OpenStream extends EventStream {
  /** How many bytes the peer has not taken yet. */
  unsent(): number
}

/** What an event stream needs of its surroundings. */
export interface StreamSite extends QueueSite {
  /** Keeps it alive through proxies. */
  readonly beats: Beats
  /** Notes that there is one more stream; the returned function notes its end. */
  readonly opened: () => () => void
}

/**
 * Begins an answer that is an event stream, and keeps it alive with comments. What a peer does not read yet waits; a peer that
 * reads nothing for 10 s, or leaves more than 16 MB, is dropped.
 *
 * @param headers - Further headers.
 */
export function createEventStream(
  exchange: Exchange,
  headers: Readonly<Record<string, string>>,
  site: StreamSite,
): OpenStream {
  const closed = site.opened()
  const queue = createStreamQueue(exchange, site)
  let open = true
  exchange.begin({ status: 200, headers: { ...HEADERS, ...headers } })
  const rest = site.beats.add(() => queue.addOnce(KEEP_ALIVE, () => KEEP_ALIVE))
  exchange.onOver(
    once(() => {
      open = false
      rest()
      queue.close()
      closed()
    }),
  )
  return {
    write(events) {
      if (open) queue.add(events)
    },
    notify(json, format = toEvent) {
      if (open) queue.addOnce(json, () => format(json))
    },
    end() {
      if (!open) return
      open = false
      rest()
      // Nothing more will come. What the peer has not taken yet has as long as its endpoint gives it.
      closed()
      queue.whenWritten(exchange.end)
    },
    unsent: queue.unsent,
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
