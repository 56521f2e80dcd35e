import type { Host } from "../../runtime/host.js"
import { type EventStream, toEvent } from "./event-stream.js"
import type { SessionEvents } from "./sent-events.js"
import { toPriming } from "./session-post.js"
import type { Visitor } from "./site.js"
import { whileAdmitted } from "./while-admitted.js"

/** The streams that a legacy session hears over what belongs to no request. A client may hold several, up to 8. */
export interface NoticeStreams {
  /**
   * Sends a message over the newest stream; where there is none, it waits for one, and takes the place of an earlier one of
   * its kind.
   */
  send(kind: string, json: string): void
  /**
   * Answers a GET with a stream, which from now on is the newest.
   *
   * @param resumed - The stream that it goes on with, and the last event of it that the client has.
   */
  open(visitor: Visitor, resumed?: { readonly key: string; readonly last: string }): void
  /** Ends them all. */
  close(): void
}

/** What the streams of a session stand on. */
export interface NoticeSite {
  /** Time, and what is held. */
  readonly host: Host
  /** What was sent. */
  readonly events: SessionEvents
  /** Whether the client comes back for what it missed; asked for each stream. */
  readonly resumable: () => boolean
}

/** None is open yet. */
export function createNoticeStreams({ host, events, resumable }: NoticeSite): NoticeStreams {
  // In the order of opening. One that is gone, and does not say so, is in nobody's way: newer ones are heard.
  const open: Open[] = []
  const waiting = new Map<string, string>()
  let count = 0
  const write = ({ stream, key }: Open, json: string): void =>
    stream.write(toEvent(json, key === undefined ? undefined : events.store(key, json)))
  const remove = (gone: Open): void => {
    const index = open.indexOf(gone)
    if (index >= 0) open.splice(index, 1)
  }
  const begin = (visitor: Visitor, key: string | undefined): Open => {
    // The client goes on with it here, so nobody reads it there.
    if (key !== undefined) open.find((other) => other.key === key)?.stream.end()
    const stream = visitor.stream()
    stream.write(OPENING + (key === undefined ? "" : toPriming(events.store(key, ""))))
    return { stream, key }
  }
  return {
    send(kind, json) {
      const newest = open.at(-1)
      if (newest === undefined) waiting.set(kind, json)
      else write(newest, json)
    },
    open(visitor, resumed) {
      count += 1
      const opened = begin(visitor, resumable() ? (resumed?.key ?? `notices ${count}`) : undefined)
      const { stream } = opened
      const missed = resumed === undefined ? [] : events.after(resumed.last)
      for (const { id, json } of missed) stream.write(toEvent(json, id))
      open.push(opened)
      if (open.length > MAX_STREAMS) open.shift()?.stream.end()
      for (const json of waiting.values()) write(opened, json)
      waiting.clear()
      const release = whileAdmitted(visitor, host, () => stream.end())
      visitor.onEnd(() => {
        remove(opened)
        release()
      })
    },
    close() {
      for (const { stream } of open.splice(0)) stream.end()
    },
  }
}

/** How many a session may have open; one more ends the oldest, which nobody would hear anything over. */
const MAX_STREAMS = 8

interface Open {
  readonly stream: EventStream
  /** What it is called where what is sent over it is kept. */
  readonly key: string | undefined
}

/** A comment. Hosts hold an answer's head back until there is a body, and this stream may stay silent for long. */
const OPENING = ": open\n\n"
