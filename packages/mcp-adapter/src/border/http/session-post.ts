import { type Encoded, joinEncoded } from "../server/encoded.js"
import { type EventStream, toEvent } from "./event-stream.js"
import { createLazyAnswer, readAccepts } from "./lazy-answer.js"
import type { SessionEvents } from "./sent-events.js"
import type { Visitor } from "./site.js"

/** The answers to the requests of one POST in a session; their ids may repeat. */
export interface SessionPost {
  /** The key of its stream among the kept events. */
  readonly key: string
  /** Sends a message that belongs to one of its unanswered requests. */
  send(json: string): void
  /** Answers one of its requests; the last answer ends the POST. */
  answer(json: Encoded): void
  /** Counts one of its requests as finished without an answer, after a cancellation. */
  skip(): void
  /** Continues on the stream of a client that reconnected and has received what it missed. */
  attach(stream: EventStream): void
}

/** Options of a session's POST. */
export interface PostOptions {
  /** The number of requests. */
  readonly requests: number
  /** Whether they came in a batch, so that their answers are sent in one. */
  readonly batch: boolean
  /** Further headers of the answer. */
  readonly headers: Readonly<Record<string, string>>
  /** {@link SessionPost.key}. */
  readonly key: string
  /**
   * Returns the kept events if the client can resume a stream; called when the stream begins. An answer in one piece is not
   * kept, since it cannot be resumed.
   */
  readonly resumable: () => SessionEvents | undefined
  /** Runs once, when everything is answered, even if the client has left. */
  readonly ended: () => void
}

/**
 * Creates the answer to a POST. If the client can resume, the answer continues while it is disconnected (2025-11-25,
 * basic/transports).
 */
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

/** The output of a POST: goes to the client's current stream, and is kept if the client can resume. */
interface Way {
  /** Sends a message before the last. */
  send(json: Encoded): void
  /** Sends the last message and ends. */
  last(json: Encoded): void
  /** Ends without a last message. */
  end(): void
  /** Whether the whole answer can still be sent in one piece. */
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
  /** Keeps the message, even if the client has already reconnected. */
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
      // A connection that broke silently would still accept messages.
      if (!away) lazy.end()
      away = true
      back = stream
    },
  }
}

/**
 * Returns the first event of a resumable stream: an id, and the reconnection delay in milliseconds (2025-11-25,
 * basic/transports).
 */
export function toPriming(id: string): string {
  return `id: ${id}\nretry: ${RETRY}\ndata: \n\n`
}

const RETRY = 1_000
