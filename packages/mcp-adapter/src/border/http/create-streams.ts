import type { Host } from "../../runtime/host.js"
import { once } from "../../runtime/once.js"
import type { HttpExchange } from "./http-exchange.js"

/** What the bounds need to know of a request. */
type Exchange = Pick<HttpExchange, "request" | "extra" | "ended">

/** The event streams of one HTTP endpoint. */
export interface Streams {
  /**
   * Bounds an answer's event stream; any other answer is complete as it is.
   *
   * @param ended - Runs once, when the answer is complete or its stream has ended, however it ended.
   */
  pass(exchange: Exchange, response: Response, ended: () => void): Response
  /** Resolves once no stream is open. */
  idle(): Promise<void>
}

/** No streams yet. */
export function createStreams(host: Pick<Host, "ledger" | "report">): Streams {
  const open = new Set<Promise<void>>()
  return {
    pass(exchange, response, ended) {
      if (response.body === null || !isEventStream(response)) {
        ended()
        return response
      }
      const closed = host.ledger.open("stream")
      let over = () => {}
      const end = new Promise<void>((resolve) => {
        over = resolve
      })
      open.add(end)
      const body = boundStream(response.body, {
        opening: exchange.request.method === "GET" ? OPENING : undefined,
        signal: exchange.request.signal,
        dropped: () => drop(host, exchange),
        ended() {
          open.delete(end)
          closed()
          ended()
          exchange.ended?.()
          over()
        },
      })
      return new Response(body, { status: response.status, headers: response.headers })
    },
    async idle() {
      await Promise.all(open)
    },
  }
}

/** A comment. Node holds an answer's head back until there is a body, and this stream may stay silent for long. */
const OPENING = new TextEncoder().encode(": open\n\n")

/** Whether an answer comes bit by bit. */
export function isEventStream(response: Response): boolean {
  return response.headers.get("content-type")?.startsWith("text/event-stream") === true
}

function drop(host: Pick<Host, "ledger" | "report">, { extra }: Exchange): void {
  const peer = extra.remoteAddress === undefined ? "a client" : `the client at ${extra.remoteAddress}`
  host.report({
    code: "peer_dropped",
    message: `${peer} left more than ${UNSENT_LIMIT} bytes of a stream unread`,
  })
  extra.disconnect?.()
}

/** How many bytes a peer may leave unread: 1 MB. */
export const UNSENT_LIMIT: number = 2 ** 20

/** What goes with an event stream. */
interface StreamOptions {
  /** Goes out before anything else. */
  readonly opening?: Uint8Array | undefined
  /** Aborts when the peer is gone. A host that only writes would not know before the next event, which may be long. */
  readonly signal: AbortSignal
  /** Runs once, when the stream has ended in any way: finished, cancelled by the peer, failed, dropped. */
  ended(): void
  /** Runs when the peer is dropped because it does not read. */
  dropped(): void
}

/**
 * Passes an event stream on, counting what the peer has not taken. The SDK's streams buffer without limit; here a peer
 * that has more than {@link UNSENT_LIMIT} bytes waiting when the next ones come is dropped: both sides of the stream end.
 * One message alone may be larger than the limit.
 */
export function boundStream(source: ReadableStream<Uint8Array>, options: StreamOptions): ReadableStream<Uint8Array> {
  const reader = source.getReader()
  const gone = (): void => {
    reader.cancel(options.signal.reason).catch(() => {})
  }
  const ended = once(() => {
    options.signal.removeEventListener("abort", gone)
    options.ended()
  })
  const pump = async (out: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
    for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
      if (out.desiredSize !== null && out.desiredSize < 0) {
        options.dropped()
        throw new Error(`the peer left more than ${UNSENT_LIMIT} bytes unread`)
      }
      out.enqueue(chunk.value)
    }
    out.close()
  }
  return new ReadableStream<Uint8Array>(
    {
      start(out) {
        if (options.opening !== undefined) out.enqueue(options.opening)
        options.signal.addEventListener("abort", gone)
        if (options.signal.aborted) gone()
        // Not returned: the stream would not count as started, and could not be read, until its source ends.
        pump(out)
          .catch((error: unknown) => {
            out.error(error)
            return reader.cancel(error)
          })
          .catch(() => {})
          .finally(ended)
      },
      cancel(reason) {
        ended()
        return reader.cancel(reason)
      },
    },
    new ByteLengthQueuingStrategy({ highWaterMark: UNSENT_LIMIT }),
  )
}
