import type { Host } from "../../runtime/host.js"
import { type EventStream, toEvent } from "./event-stream.js"
import type { SentEvent, SessionEvents } from "./sent-events.js"
import { type SessionPost, toPriming } from "./session-post.js"
import type { Visitor } from "./site.js"
import { whileAdmitted } from "./while-admitted.js"

/** All output of a session except answers in one piece. */
export interface SessionStreams {
  /**
   * Sends a message that belongs to no request over the newest stream. Without a stream it waits for one, and replaces an
   * earlier waiting message of the same kind.
   */
  notify(kind: string, json: string): void
  /**
   * Answers a GET: with the missed events of a stream if the client names one, otherwise with a new stream for notices.
   *
   * @param find - Returns the unanswered POST with a given key.
   */
  listen(listener: Visitor, find: (key: string) => SessionPost | undefined): void
  /** Returns the kept events if the client can resume streams. */
  resumable(): SessionEvents | undefined
  /** Returns the key of the next POST's stream. */
  nextKey(): string
  /** Ends the notice streams and drops kept events. */
  close(): void
}

/** The context of a session's streams. */
export interface StreamsSite {
  /** Creates the store for sent events. */
  readonly events: () => SessionEvents
  /** Whether the client can resume streams; asked for each stream. */
  readonly resumable: () => boolean
}

/** Creates the streams of a session. Stores are created on first use. */
export function createSessionStreams(host: Host, site: StreamsSite): SessionStreams {
  let kept: SessionEvents | undefined
  let notices: NoticeStreams | undefined
  let posts = 0
  const events = (): SessionEvents => {
    kept ??= site.events()
    return kept
  }
  const resumable = (): SessionEvents | undefined => (site.resumable() ? events() : undefined)
  const forNotices = (): NoticeStreams => {
    notices ??= createNoticeStreams(host, resumable)
    return notices
  }
  return {
    notify: (kind, json) => forNotices().send(kind, json),
    listen(listener, find) {
      const last = listener.head.headers.get("last-event-id")
      const key = last === null ? undefined : events().streamOf(last)
      // A client that lost more than is kept starts with a new stream.
      if (last === null || key === undefined) forNotices().open(listener)
      else if (!key.startsWith(POST)) forNotices().open(listener, { key, last })
      else resume(listener, events().after(last), find(key))
    },
    resumable,
    nextKey() {
      posts += 1
      return `${POST}${posts}`
    },
    close() {
      notices?.close()
      kept?.close()
    },
  }
}

const POST = "answer "

/** Sends a reconnected client what it missed of a POST's answer, and continues with the rest. */
function resume(listener: Visitor, missed: readonly SentEvent[], post: SessionPost | undefined): void {
  if (post === undefined && missed.length === 0) {
    // The client has received everything: a 204 tells it not to reconnect.
    listener.send({ status: 204 })
    return
  }
  const stream = listener.stream()
  for (const { id, json } of missed) stream.write(toEvent(json, id))
  if (post === undefined) stream.end()
  else post.attach(stream)
}

/** Streams for messages outside any request; up to 8 for each session. */
interface NoticeStreams {
  /** {@link SessionStreams.notify}. */
  send(kind: string, json: string): void
  /**
   * Answers a GET with a stream, which becomes the newest.
   *
   * @param resumed - The stream to resume, and the last event that the client received.
   */
  open(visitor: Visitor, resumed?: { readonly key: string; readonly last: string }): void
  /** Ends all streams. */
  close(): void
}

/** Creates the notice streams of a session. */
function createNoticeStreams(host: Host, resumable: SessionStreams["resumable"]): NoticeStreams {
  // In opening order. A stream that broke silently does no harm: newer ones are used.
  const open: Open[] = []
  const waiting = new Map<string, string>()
  let count = 0
  const write = ({ stream, key, events }: Open, json: string): void =>
    stream.notify(json, () => toEvent(json, events?.store(key, json)))
  const remove = (gone: Open): void => {
    const index = open.indexOf(gone)
    if (index >= 0) open.splice(index, 1)
  }
  const begin = (visitor: Visitor, key: string): Open => {
    // The client resumes this stream here and no longer reads the old connection.
    open.find((other) => other.key === key)?.stream.end()
    const stream = visitor.stream()
    const events = resumable()
    stream.write(OPENING + (events === undefined ? "" : toPriming(events.store(key, ""))))
    return { stream, key, events }
  }
  return {
    send(kind, json) {
      const newest = open.at(-1)
      if (newest === undefined) waiting.set(kind, json)
      else write(newest, json)
    },
    open(visitor, resumed) {
      count += 1
      const opened = begin(visitor, resumed?.key ?? `notices ${count}`)
      const { stream, events } = opened
      const missed = resumed === undefined ? [] : (events?.after(resumed.last) ?? [])
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

/** The most open streams of a session; one more ends the oldest, which is no longer used. */
const MAX_STREAMS = 8

interface Open {
  readonly stream: EventStream
  /** Its key among the kept events. */
  readonly key: string
  /** Its kept events; `undefined` if the client cannot resume. */
  readonly events: SessionEvents | undefined
}

/** A comment. Hosts hold the head of an answer back until it has a body, and this stream may stay silent for long. */
const OPENING = ": open\n\n"
