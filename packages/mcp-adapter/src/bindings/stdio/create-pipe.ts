import type { Transport } from "@modelcontextprotocol/server"
import type { View } from "../../catalogue/view.js"
import type { Endpoint } from "../../endpoint.js"
import { tooMany } from "../http/listen-limit.js"
import { UNSENT_LIMIT } from "../server/bounded-stream.js"
import { createClientReport } from "../server/client-report.js"
import { watchListens } from "./watch-listens.js"

/** What goes with a pipe. */
export interface PipeOptions {
  /** What its client may see. */
  readonly view: View
  /** How many listen streams the SDK lets it have. */
  readonly maxListens: number
  /** Runs when the wire has closed, from whichever end, after the SDK has been told. */
  closed(): void
}

/**
 * Stands between the SDK and the one wire of a connection: keeps the view watching what its listen streams ask for,
 * and closes it when the peer leaves more than {@link UNSENT_LIMIT} bytes of notifications unread. Answers are not
 * counted: a peer asked for them, and one alone may be larger.
 */
export function createPipe(endpoint: Endpoint, wire: Transport, options: PipeOptions): Transport {
  const { view, maxListens } = options
  const tell = createClientReport(endpoint)
  const listens = watchListens(view, (open) => {
    if (open < maxListens) return
    tell("", { code: "listen_limit", message: `the client has ${tooMany(open, "maxListens")}` })
  })
  const send = boundedSend(endpoint, wire)
  const pipe: Transport = {
    start: () => wire.start(),
    close: () => wire.close(),
    send(message, options) {
      listens.sent(message)
      return send(message, options)
    },
  }
  wire.onmessage = (message, extra) => {
    listens.received(message)
    pipe.onmessage?.(message, extra)
  }
  wire.onerror = (error) => pipe.onerror?.(error)
  wire.onclose = () => {
    listens.close()
    pipe.onclose?.()
    options.closed()
  }
  return pipe
}

function boundedSend(endpoint: Endpoint, wire: Transport): Transport["send"] {
  let unsent = 0
  return async (message, options) => {
    const size = "method" in message ? JSON.stringify(message).length : 0
    if (size > 0 && unsent > UNSENT_LIMIT) {
      endpoint.report({ code: "peer_dropped", message: `the client left more than ${UNSENT_LIMIT} bytes unread` })
      return wire.close()
    }
    unsent += size
    await wire.send(message, options).finally(() => {
      unsent -= size
    })
  }
}
