import type { EventStore } from "@modelcontextprotocol/server"
import { LRUCache } from "lru-cache"

/** What was sent to the legacy sessions of one endpoint, so that a client whose connection broke gets the rest. */
export interface SentEvents {
  /** The part that belongs to one session; no other can read it. */
  of(session: string): SessionEvents
}

/** What was sent to one session (2025-11-25, basic/transports, resumability and redelivery). */
export interface SessionEvents extends EventStore {
  /** Which stream an event was sent over; `undefined` once it is forgotten. */
  streamOf(id: string): string | undefined
  /** Forgets all. */
  close(): void
}

/**
 * Nothing yet.
 *
 * @param limit - How many characters are kept, over all sessions; the oldest go first. What is longer alone is not kept.
 */
export function createSentEvents(limit: number): SentEvents {
  const kept = new LRUCache<string, Sent>({
    maxSize: limit,
    sizeCalculation: ({ json }) => json.length + OVERHEAD,
    dispose: ({ forget }) => forget(),
  })
  return {
    of(session) {
      // In the order of sending. Ids count by session, so that nobody can tell from them how busy others are.
      const events = new Map<string, Sent>()
      let last = 0
      const streamOf = (id: string): string | undefined => events.get(id)?.stream
      return {
        async storeEvent(stream, message) {
          last += 1
          const id = String(last)
          const sent: Sent = { stream, json: JSON.stringify(message), forget: () => events.delete(id) }
          events.set(id, sent)
          kept.set(`${session} ${id}`, sent)
          if (!kept.has(`${session} ${id}`)) events.delete(id)
          return id
        },
        streamOf,
        getStreamIdForEventId: async (id) => streamOf(id),
        async replayEventsAfter(after, { send }) {
          const stream = streamOf(after) ?? ""
          for (const [id, sent] of [...events]) {
            if (Number(id) > Number(after) && sent.stream === stream && sent.json !== PRIMING) {
              await send(id, JSON.parse(sent.json))
            }
          }
          return stream
        },
        close() {
          for (const id of [...events.keys()]) kept.delete(`${session} ${id}`)
        },
      }
    },
  }
}

interface Sent {
  readonly stream: string
  readonly json: string
  forget(): void
}

/** About what an event takes besides its text. */
const OVERHEAD = 100

/** What a stream begins with has no message; it only gives the client an id to come back with. */
const PRIMING = "{}"
