import { type Encoded, joinEncoded } from "../server/encoded.js"
import { type EventStream, toEvent } from "./event-stream.js"
import { createLazyAnswer, readAccepts } from "./lazy-answer.js"
import type { SessionEvents } from "./sent-events.js"
import type { Visitor } from "./site.js"

/** The answers to what one POST of a session asks, whatever ids its requests have. */
export interface SessionPost {
  /** What its stream is called where what is sent over it is kept. */
  readonly key: string
  /** Sends what belongs to one of its requests, before that is answered. */
  send(json: string): void
  /** Answers one of its requests; the last answer ends it. */
  answer(json: Encoded): void
  /** Notes that one of its requests is not answered, because the client has cancelled it. */
  skip(): void
  /** Goes on over the stream of a client that came back, which has been told what it missed. */
  attach(stream: EventStream): void
}

/** How a POST is answered. */
export interface PostOptions {
  /** How many requests it has. */
  readonly requests: number
  /** Whether they came in a batch, so that their answers go back in one. */
  readonly batch: boolean
  /** Further headers of the answer. */
  readonly headers: Readonly<Record<string, string>>
  /** {@link SessionPost.key}. */
  readonly key: string
  /**
   * Where the events of its stream are kept, where the client knows how to come back for them; asked when the stream begins.
   * Nothing of an answer in one piece is kept: there is nothing to come back for.
   */
  readonly resumable: () => SessionEvents | undefined
  /** Runs once, when there is nothing more to come, whether the client is there or not. */
  readonly ended: () => void
}

/** The answer to a POST, which goes on while its client is gone, where it can come back (2025-11-25, basic/transports). */
export function createSessionPost(visitor: Visitor, options: PostOptions): SessionPost {
  const { batch, ended } = options
  const way = createWay(visitor, options)
  const answers: Encoded[] = []
  let awaited = options.requests
  const finish = (): void => {
    const last = answers.pop()
    if (last === undefined) way.end()
    else if (batch && way.isWhole())
      way.last(joinEncoded("[", ...answers.flatMap((answer) => [answer, ","]), last, "]"))
    else {
      for (const answer of answers) way.send(answer)
      way.last(last)
    }
    ended()
  }
  const settle = (): void => {
    awaited -= 1
    if (awaited === 0) finish()
  }
  return {
    key: options.key,
    send: (json) => {
      if (awaited > 0) way.send(json)
    },
    answer(json) {
      answers.push(json)
      settle()
    },
    skip: settle,
    attach: way.attach,
  }
}

/** Where what is sent goes: to who asked, or who came back, and where somebody may come back, it is kept. */
interface Way {
  /** Sends a message that comes before the last. */
  send(json: Encoded): void
  /** Sends the last message, and ends. */
  last(json: Encoded): void
  /** Ends without a last message. */
  end(): void
  /** Whether everything can still go in one piece. */
  isWhole(): boolean
  /** {@link SessionPost.attach}. */
  attach(stream: EventStream): void
}

function createWay(visitor: Visitor, { key, headers, resumable }: PostOptions): Way {
  let kept: SessionEvents | undefined
  let away = false
  let back: EventStream | undefined
  const event = (json: Encoded): Encoded => toEvent(json, kept?.store(key, json))
  const lazy = createLazyAnswer(visitor, {
    accepts: readAccepts(visitor.head),
    headers,
    opening() {
      kept = resumable()
      return kept === undefined ? "" : toPriming(kept.store(key, ""))
    },
    event,
  })
  visitor.onEnd((end) => {
    if (end !== "taken") away = true
  })
  /** Kept, whether somebody is back already or not. */
  const passBack = (json: Encoded): void => {
    const formatted = event(json)
    back?.write(formatted)
  }
  return {
    send(json) {
      if (away) passBack(json)
      else lazy.send(json)
    },
    last(json) {
      if (away) passBack(json)
      else lazy.finish(json)
      back?.end()
    },
    end() {
      lazy.end()
      back?.end()
    },
    isWhole: () => !away && !lazy.begun(),
    attach(stream) {
      back?.end()
      // A connection that is gone without a word would go on taking what is sent.
      if (!away) lazy.end()
      away = true
      back = stream
    },
  }
}

/** How a stream begins whose client may come back: with an id, and when to come back, in milliseconds (2025-11-25, basic/transports). */
export function toPriming(id: string): string {
  return `id: ${id}\nretry: ${RETRY}\ndata: \n\n`
}

const RETRY = 1_000
