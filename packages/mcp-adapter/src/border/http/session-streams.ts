import type { Host } from "../../runtime/host.js"
import { type EventStream, toEvent } from "./event-stream.js"
import type { SentEvent, SessionEvents } from "./sent-events.js"
import { type SessionPost, toPriming } from "./session-post.js"
import type { Visitor } from "./site.js"
import { whileAdmitted } from "./while-admitted.js"

/** Everything that a session sends besides answers in one piece. */
export interface SessionStreams {
  /**
   * Sends a message that belongs to no request, over the newest stream; where there is none, it waits for one, and takes the
   * place of an earlier one of its kind.
   */
  notify(kind: string, json: string): void
  /**
   * Answers a GET: with what the client missed of a stream, where it says so, else with a new one for notices.
   *
   * @param find - Finds the POST of a name that is not answered yet.
   */
  listen(listener: Visitor, find: (key: string) => SessionPost | undefined): void
  /** What was sent, where the client comes back for what it missed. */
  resumable(): SessionEvents | undefined
  /** What the stream of the next POST is called. */
  nextKey(): string
  /** Ends those that are for notices, and forgets what was sent. */
  close(): void
}

/** What they stand on. */
export interface StreamsSite {
  /** Makes room for what is sent. */
  readonly events: () => SessionEvents
  /** Whether the client comes back for what it missed; asked for each stream. */
  readonly resumable: () => boolean
}

/** None is open yet, and nothing is made for those that may be. */
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
      // A client that lost more than is kept begins with a new stream.
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

/** Tells a client that came back what it missed of the answer to a POST, and goes on with it where there is more to come. */
function resume(listener: Visitor, missed: readonly SentEvent[], post: SessionPost | undefined): void {
  if (post === undefined && missed.length === 0) {
    // A client that has all of it is told not to come again.
    listener.send({ status: 204 })
    return
  }
  const stream = listener.stream()
  for (const { id, json } of missed) stream.write(toEvent(json, id))
  if (post === undefined) stream.end()
  else post.attach(stream)
}

/** The streams that a legacy session hears over what belongs to no request. A client may hold several, up to 8. */
interface NoticeStreams {
  /** {@link SessionStreams.notify}. */
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

/** None is open yet. */
function createNoticeStreams(host: Host, resumable: SessionStreams["resumable"]): NoticeStreams {
  // In the order of opening. One that is gone, and does not say so, is in nobody's way: newer ones are heard.
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
    // The client goes on with it here, so nobody reads it there.
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

/** How many a session may have open; one more ends the oldest, which nobody would hear anything over. */
const MAX_STREAMS = 8

interface Open {
  readonly stream: EventStream
  /** What it is called where what is sent over it is kept. */
  readonly key: string
  /** Where that is; `undefined` where nobody would come back for it. */
  readonly events: SessionEvents | undefined
}

/** A comment. Hosts hold an answer's head back until there is a body, and this stream may stay silent for long. */
const OPENING = ": open\n\n"
