import type { Transport } from "@modelcontextprotocol/server"
import { serveStdio } from "@modelcontextprotocol/server/stdio"
import type { Principal } from "@x/agentic-service"
import type { Endpoint } from "../../endpoint.js"
import { MAX_LISTENS } from "../http/listen-limit.js"
import { createLiveServer } from "../server/create-live-server.js"
import { createPipe } from "./create-pipe.js"
import { drainWire } from "./drain-wire.js"

/** Who is at the other end of a pipe, and what kind of pipe it is. */
export interface PipeCaller {
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
  const ended = endpoint.ledger.open("stream")
  let over = () => {}
  const closed = new Promise<void>((resolve) => {
    over = resolve
  })
  const line = drainWire(wire, endpoint)
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
      onerror: (cause) => endpoint.report({ code: "transport_failed", message: cause.message, cause }),
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
