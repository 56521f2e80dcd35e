import { type Encoded, sizeOfEncoded } from "../server/encoded.js"
import { createShares } from "./shares.js"

/** Events sent to the legacy sessions of one endpoint, kept so that a client whose connection broke can get the rest. */
export interface SentEvents {
  /**
   * Returns the events of one session, which no other session can read.
   *
   * @param client - The session's client, whose share the kept events count against.
   */
  of(client: string): SessionEvents
}

/** Events sent to one session (2025-11-25, basic/transports, resumability and redelivery). */
export interface SessionEvents {
  /**
   * Stores an event of a stream.
   *
   * @param json - Its message; empty for a stream's first event, which has none and is never sent again.
   * @returns The event's id, unique within the session.
   */
  store(stream: string, json: Encoded): string
  /** Returns the stream that an event was sent on; `undefined` once it is dropped. */
  streamOf(id: string): string | undefined
  /** Returns the later events of the same stream, in order. */
  after(id: string): readonly SentEvent[]
  /** Drops all events. */
  close(): void
}

/** A sent event. */
export interface SentEvent {
  /** The event's id. */
  readonly id: string
  /** The event's message; bytes that it shares with other messages are not copied. */
  readonly json: Encoded
}

/**
 * Creates the store of sent events.
 *
 * @param limit - The most characters kept over all sessions. Beyond it, the client with the largest share loses its oldest
 * events. Events larger than the limit are not kept.
 */
export function createSentEvents(limit: number): SentEvents {
  const shares = createShares()
  // In sending order.
  const kept = new Map<string, Set<Kept>>()
  const forget = (event: Kept): void => {
    const own = kept.get(event.client)
    if (own?.delete(event) !== true) return
    if (own.size === 0) kept.delete(event.client)
    shares.add(event.client, -event.weight)
    event.events.delete(event.id)
  }
  const keep = (event: Kept): void => {
    // Too large to keep even if all others were dropped.
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
  /** The events of its session. */
  readonly events: Map<string, Kept>
}

/** Creates the events of one session. */
function createSessionEvents(
  client: string,
  { keep, forget }: { readonly keep: (event: Kept) => void; readonly forget: (event: Kept) => void },
): SessionEvents {
  const events = new Map<string, Kept>()
  // Counted by session, so that ids do not reveal how busy others are.
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

/** The approximate size of an event without its text. */
const OVERHEAD = 100
