import { isJSONRPCRequest, type JSONRPCRequest } from "@modelcontextprotocol/server"
import type { Host } from "../../runtime/host.js"
import { once } from "../../runtime/once.js"
import { listenedUris } from "../server/listened-uris.js"
import { createWork } from "../server/work.js"
import type { HttpExchange } from "./http-exchange.js"

/** Lets an HTTP endpoint finish what it was asked before it ends. */
export interface HttpDrain {
  /** Whether a request may still be served: every one at first, then what belongs to an earlier one, then none. */
  admits(exchange: Exchange): boolean
  /**
   * Notes that a request is being served. One that listens is not waited for.
   *
   * @returns Notes that its answer is complete; idempotent.
   */
  begin(exchange: Exchange): () => void
  /** Notes that a request was accepted: what its session cancels with it is not waited for any longer. */
  accepted(exchange: Exchange): void
  /** Admits nothing new, waits for the answers, for `drain` milliseconds at most, then runs `end`; only the first time counts. */
  close(end: () => Promise<void>): Promise<void>
}

type Exchange = Pick<HttpExchange, "request" | "body">

/** Nothing asked yet. */
export function createHttpDrain(host: Pick<Host, "clock" | "ledger">, drain: number): HttpDrain {
  const work = createWork(host)
  // A cancelled request of a session gets no answer (2025-11-25, basic/utilities/cancellation), so its stream tells nothing.
  const cancellable = new Map<string, () => void>()
  let ended = false
  let closing: Promise<void> | undefined
  return {
    admits: ({ request, body }) => closing === undefined || (!ended && !isListening(request) && !isAsking(body)),
    begin({ request, body }) {
      const session = request.headers.get(SESSION)
      const asked = requestsIn(body)
      if (asked.length === 0 || listenedUris(body) !== undefined) return () => {}
      const keys = session === null ? [] : asked.map(({ id }) => keyOf(session, id))
      const answered = work.begin()
      const done = once(() => {
        for (const key of keys) cancellable.delete(key)
        answered()
      })
      for (const key of keys) cancellable.set(key, done)
      return done
    },
    accepted({ request, body }) {
      const id = cancelledBy(body)
      if (id !== undefined) cancellable.get(keyOf(request.headers.get(SESSION), id))?.()
    },
    close(end) {
      closing ??= work.idle(drain).then(() => {
        ended = true
        return end()
      })
      return closing
    },
  }
}

const SESSION = "mcp-session-id"

/** A client that comes back for the rest of a stream may have an answer to fetch; one that only listens is late. */
function isListening({ method, headers }: Request): boolean {
  return method === "GET" && !headers.has("last-event-id")
}

/** Whether an answer is due: notifications, such as a cancellation, and answers to our own questions want none. */
function isAsking(body: unknown): boolean {
  return requestsIn(body).length > 0
}

function requestsIn(body: unknown): readonly JSONRPCRequest[] {
  return [body].flat().filter((message): message is JSONRPCRequest => isJSONRPCRequest(message))
}

function cancelledBy(body: unknown): unknown {
  const { method, params } = toRecord(body)
  return method === "notifications/cancelled" ? toRecord(params)["requestId"] : undefined
}

function keyOf(session: string | null, id: unknown): string {
  return JSON.stringify([session, id])
}

function toRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {}
}
