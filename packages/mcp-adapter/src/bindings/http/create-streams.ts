import type { Endpoint } from "../../endpoint.js"
import { boundStream, UNSENT_LIMIT } from "../server/bounded-stream.js"
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
export function createStreams(endpoint: Pick<Endpoint, "ledger" | "report">): Streams {
  const open = new Set<Promise<void>>()
  return {
    pass(exchange, response, ended) {
      if (response.body === null || !isEventStream(response)) {
        ended()
        return response
      }
      const closed = endpoint.ledger.open("stream")
      let over = () => {}
      const end = new Promise<void>((resolve) => {
        over = resolve
      })
      open.add(end)
      const body = boundStream(response.body, {
        opening: exchange.request.method === "GET" ? OPENING : undefined,
        signal: exchange.request.signal,
        dropped: () => drop(endpoint, exchange),
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

function drop(endpoint: Pick<Endpoint, "ledger" | "report">, { extra }: Exchange): void {
  const peer = extra.remoteAddress === undefined ? "a client" : `the client at ${extra.remoteAddress}`
  endpoint.report({ code: "peer_dropped", message: `${peer} left more than ${UNSENT_LIMIT} bytes of a stream unread` })
  extra.disconnect?.()
}
