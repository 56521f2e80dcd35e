import { type Encoded, sizeOfEncoded } from "../server/encoded.js"
import { createShares } from "./shares.js"

/** What was sent to the legacy sessions of one endpoint, so that a client whose connection broke gets the rest. */
export interface SentEvents {
  /**
   * The part that belongs to one session; no other can read it.
   *
   * @param client - Whose session it is, which pays for what is kept.
   */
  of(client: string): SessionEvents
}

/** What was sent to one session (2025-11-25, basic/transports, resumability and redelivery). */
export interface SessionEvents {
  /**
   * Keeps an event of a stream.
   *
   * @param json - Its message; empty for what a stream begins with, which has none and is never sent again.
   * @returns Its id, which no other event of the session has.
   */
  store(stream: string, json: Encoded): string
  /** Which stream an event was sent over; `undefined` once it is forgotten. */
  streamOf(id: string): string | undefined
  /** What was sent after an event, over its stream alone, in order. */
  after(id: string): readonly SentEvent[]
  /** Forgets all. */
  close(): void
}

/** An event as it was sent. */
export interface SentEvent {
  /** Its id. */
  readonly id: string
  /** Its message; bytes that other messages have as well are not copied. */
  readonly json: Encoded
}

/**
 * Nothing yet.
 *
 * @param limit - How many characters are kept, over all sessions. Beyond it, the client of whom most is kept loses its oldest.
 * What is longer alone is not kept.
 */
export function createSentEvents(limit: number): SentEvents {
  const shares = createShares()
  // In the order of sending.
  const kept = new Map<string, Set<Kept>>()
  const forget = (event: Kept): void => {
    const own = kept.get(event.client)
    if (own?.delete(event) !== true) return
    if (own.size === 0) kept.delete(event.client)
    shares.add(event.client, -event.weight)
    event.events.delete(event.id)
  }
  const keep = (event: Kept): void => {
    // It would take the place of all others, and not fit.
    if (event.weight > limit) return void event.events.delete(event.id)
    const own = kept.get(event.client) ?? new Set()
    kept.set(event.client, own)
    own.add(event)
    shares.add(event.client, event.weight)
    while (shares.total() > limit) {
      const [oldest] = kept.get(shares.largest() ?? "") ?? []
      if (oldest === undefined) return
      forget(oldest)
    }
  }
  return { of: (client) => createSessionEvents(client, { keep, forget }) }
}

interface Kept extends SentEvent {
  readonly client: string
  readonly stream: string
  readonly weight: number
  /** Those of its session. */
  readonly events: Map<string, Kept>
}

/** The part of one session. */
function createSessionEvents(
  client: string,
  { keep, forget }: { readonly keep: (event: Kept) => void; readonly forget: (event: Kept) => void },
): SessionEvents {
  const events = new Map<string, Kept>()
  // Ids count by session, so that nobody can tell from them how busy others are.
  let last = 0
  return {
    store(stream, json) {
      last += 1
      const id = String(last)
      const event: Kept = { client, stream, id, json, weight: sizeOfEncoded(json) + OVERHEAD, events }
      events.set(id, event)
      keep(event)
      return id
    },
    streamOf: (id) => events.get(id)?.stream,
    after(id) {
      const stream = events.get(id)?.stream
      return [...events.values()].filter(
        (event) => event.stream === stream && event.json !== "" && Number(event.id) > Number(id),
      )
    },
    close() {
      for (const event of [...events.values()]) forget(event)
    },
  }
}

/** About what an event takes besides its text. */
const OVERHEAD = 100
