/** The method of a cancellation. */
export const CANCELLED = "notifications/cancelled"

/** A request's id. */
type Id = string | number

/** A message to the client. */
interface Sent {
  readonly id?: Id | undefined
  readonly method: string
  readonly params?: Readonly<Record<string, unknown>> | undefined
}

/** The server's requests that the client may still answer. */
export interface AskedIds {
  /** Notes a message to the client: a request is expected to be answered, a cancelled one no longer. */
  sent(message: Sent): void
  /** Whether an answer with this id is expected, which it is only once. */
  answered(id: Id): boolean
  /** Removes and returns the ids of all expected answers. */
  takeAll(): readonly Id[]
}

/** Creates an empty record. */
export function createAskedIds(): AskedIds {
  const asked = new Set<Id>()
  return {
    sent({ id, method, params }) {
      const cancelled = params?.["requestId"]
      if (id !== undefined) asked.add(id)
      else if (method === CANCELLED && (typeof cancelled === "number" || typeof cancelled === "string"))
        asked.delete(cancelled)
    },
    answered: (id) => asked.delete(id),
    takeAll() {
      const all = [...asked]
      asked.clear()
      return all
    },
  }
}
