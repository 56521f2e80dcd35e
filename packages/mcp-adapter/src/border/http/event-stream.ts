import { type Cancel, type Host, once, startTimer } from "../../runtime/host.js"
import { type Encoded, joinEncoded } from "../server/encoded.js"
import type { Exchange } from "./exchange.js"
import { createStreamQueue, type QueueSite } from "./stream-queue.js"

/** One shared timer for all periodic work of an endpoint. */
export interface Beats {
  /**
   * Runs `beat` after the first few seconds and then about every fifteen, until it is cancelled.
   *
   * @param beat - Takes the number of beats before this one.
   */
  add(beat: (beats: number) => void): Cancel
}

/** Creates the shared timer, which runs only while something waits. */
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
      // A new function each time, so that a callback added twice runs twice.
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

/** Milliseconds. The first beat comes with the second tick, after 2.5 to 5 s. */
const TICK = 2_500
const TICKS = 6

/** A stream of server-sent events to one client. */
export interface EventStream {
  /** Writes text formatted as one or more events. Does nothing after the end. */
  write(events: Encoded): void
  /**
   * Writes a notification, unless an identical one still waits to be read.
   *
   * @param format - Formats it as an event. Default: one without an id.
   */
  notify(json: string, format?: (json: string) => Encoded): void
  /** Ends the stream after the events that still wait. */
  end(): void
}

/** An event stream, as seen by its endpoint. */
export interface OpenStream extends EventStream {
  /** The number of bytes that the client has not read yet. */
  unsent(): number
}

/** The context of an event stream. */
export interface StreamSite extends QueueSite {
  /** The timer for keep-alive comments. */
  readonly beats: Beats
  /** Counts one more open stream; the returned function counts its end. */
  readonly opened: () => () => void
}

/**
 * Begins an event-stream answer, and keeps it alive with comments. Events wait until the client reads them; a client that reads
 * nothing for 10 s, or leaves more than 16 MB unread, is disconnected.
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
      // Counted as ended now. The endpoint decides how long unread events may still wait.
      closed()
      queue.whenWritten(exchange.end)
    },
    unsent: queue.unsent,
  }
}

const HEADERS = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache, no-transform",
  // Keeps proxies from buffering.
  "x-accel-buffering": "no",
}

/** A comment that shows proxies that the connection is in use, and shows us if the client is gone. */
const KEEP_ALIVE = ": keepalive\n\n"

/** Formats a message as an event. */
export function toEvent(json: Encoded, id?: string): Encoded {
  return joinEncoded(id === undefined ? "event: message\ndata: " : `event: message\nid: ${id}\ndata: `, json, "\n\n")
}
