import { isJSONRPCRequest, type JSONRPCMessage, type RequestId, type Transport } from "@modelcontextprotocol/server"
import { serveStdio } from "@modelcontextprotocol/server/stdio"
import type { Principal } from "@x/agentic-service"
import type { Endpoint } from "../../endpoint.js"
import type { Host } from "../../runtime/host.js"
import type { View } from "../../views/view.js"
import { UNSENT_LIMIT } from "../http/create-streams.js"
import { MAX_LISTENS, tooMany } from "../http/limits.js"
import { createClientReport } from "../server/client-report.js"
import { createLiveServer } from "../server/create-server.js"
import { listenedUris } from "../server/listened-uris.js"
import { createWork, type Work } from "../server/work.js"

/** Who is at the other end of a pipe, and what kind of pipe it is. */
interface PipeCaller {
  /** Who calls; the same for everything that comes through. */
  readonly principal?: Principal | undefined
  /** What the pipe is. */
  readonly transport: "stdio" | "in-memory"
  /** How long calls may still run when it is closed from this end, in milliseconds. Default 0. */
  readonly drain?: number
  /** How many listen streams may be open; one more is refused. Default 100. */
  readonly maxListens?: number | undefined
}

/** A connection being served. */
export interface PipeServer {
  /**
   * Ends it: further requests are refused, those before may be answered in the time there is for it, what still runs then
   * is aborted, and listen streams get their final answer. Idempotent.
   */
  close(): Promise<void>
  /** Resolves once it has ended and everything it held is given back. */
  readonly closed: Promise<void>
}

/** Serves one connection that carries everything, in the era its first message asks for. */
export function servePipe(endpoint: Endpoint, wire: Transport, caller: PipeCaller): PipeServer {
  const { principal, transport, drain = 0, maxListens = MAX_LISTENS } = caller
  const connection = endpoint.open(principal)
  const ended = endpoint.host.ledger.open("stream")
  let over = () => {}
  const closed = new Promise<void>((resolve) => {
    over = resolve
  })
  const line = drainWire(wire, endpoint.host)
  const pipe = createPipe(endpoint, line, {
    view: connection.view,
    maxListens,
    closed() {
      connection.release()
      ended()
      over()
    },
  })
  const client = principal?.id ?? transport
  const handle = serveStdio(
    ({ era }) => {
      const leg = { transport, era, notices: true }
      return createLiveServer(endpoint, connection, { caller: { client, leg, ...(principal && { principal }) } })
    },
    {
      transport: pipe,
      maxSubscriptions: maxListens,
      onerror: (cause) => endpoint.host.report({ code: "transport_failed", message: cause.message, cause }),
    },
  )
  let closing: Promise<void> | undefined
  const end = async (): Promise<void> => {
    await line.drain(drain)
    await handle.close()
    await closed
  }
  return {
    closed,
    close() {
      closing ??= end()
      return closing
    },
  }
}

/** What goes with a pipe. */
interface PipeOptions {
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
function createPipe(endpoint: Endpoint, wire: Transport, options: PipeOptions): Transport {
  const { view, maxListens } = options
  const tell = createClientReport(endpoint.host)
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
      endpoint.host.report({ code: "peer_dropped", message: `the client left more than ${UNSENT_LIMIT} bytes unread` })
      return wire.close()
    }
    unsent += size
    await wire.send(message, options).finally(() => {
      unsent -= size
    })
  }
}

/** A wire that can finish what was asked before it ends. */
interface DrainedWire extends Transport {
  /** Refuses further requests, and resolves once those before are answered, the wire closes, or the time is over. */
  drain(milliseconds: number): Promise<void>
}

/** Follows the requests of a wire to their answers. What listens is not counted: it is answered when the server ends it. */
function drainWire(wire: Transport, host: Pick<Host, "clock" | "ledger">): DrainedWire {
  const open = createOpenRequests(createWork(host))
  let draining = false
  const line: DrainedWire = {
    start: () => wire.start(),
    close: () => wire.close(),
    async send(message, options) {
      await wire.send(message, options).finally(() => open.sent(message))
    },
    drain(milliseconds) {
      draining = true
      return open.work.idle(milliseconds)
    },
  }
  wire.onmessage = (message, extra) => {
    if (draining && "method" in message && "id" in message) return void refuse(wire, message.id)
    open.received(message)
    line.onmessage?.(message, extra)
  }
  wire.onerror = (error) => line.onerror?.(error)
  wire.onclose = () => {
    open.clear()
    line.onclose?.()
  }
  return line
}

function createOpenRequests(work: Work) {
  const open = new Map<unknown, () => void>()
  const end = (id: unknown): void => {
    open.get(id)?.()
    open.delete(id)
  }
  return {
    work,
    received(message: JSONRPCMessage) {
      if (!("method" in message)) return
      // A request that was cancelled is not answered.
      if (message.method === "notifications/cancelled") end(message.params?.["requestId"])
      if (!("id" in message) || listenedUris(message) !== undefined) return
      end(message.id)
      open.set(message.id, work.begin())
    },
    sent(message: JSONRPCMessage) {
      if (!("method" in message)) end(message.id)
    },
    clear() {
      for (const id of [...open.keys()]) end(id)
    },
  }
}

/** A wire that cannot take the refusal is closing anyway. */
function refuse(wire: Transport, id: RequestId): Promise<void> {
  const error = { code: -32000, message: "the server is closing" }
  return wire.send({ jsonrpc: "2.0", id, error }).catch(() => undefined)
}

/** Keeps a view watching what the listen streams of one pipe ask for, by looking at the messages that pass. */
interface ListenWatch {
  /** Takes a message from the client, before the SDK does. */
  received(message: JSONRPCMessage): void
  /** Takes a message to the client: an answer to a listen ends it (2026-07-28, basic/patterns/subscriptions). */
  sent(message: JSONRPCMessage): void
  /** Ends them all. */
  close(): void
}

/**
 * Watches nothing yet.
 *
 * @param asked - Runs when another listen stream is asked for; takes how many are open.
 */
function watchListens(view: View, asked: (open: number) => void): ListenWatch {
  const open = new Map<RequestId, () => void>()
  const end = (id: unknown): void => {
    if (typeof id !== "string" && typeof id !== "number") return
    open.get(id)?.()
    open.delete(id)
  }
  return {
    received(message) {
      const uris = listenedUris(message)
      if (uris !== undefined && isJSONRPCRequest(message)) {
        end(message.id)
        asked(open.size)
        open.set(message.id, view.watch(uris))
      }
      if ("method" in message && message.method === "notifications/cancelled") end(message.params?.["requestId"])
    },
    sent(message) {
      if (!("method" in message)) end(message.id)
    },
    close() {
      for (const id of open.keys()) end(id)
    },
  }
}
