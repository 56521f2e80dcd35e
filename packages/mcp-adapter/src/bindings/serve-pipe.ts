import type { Transport } from "@modelcontextprotocol/server"
import { serveStdio } from "@modelcontextprotocol/server/stdio"
import type { Principal } from "@x/agentic-service"
import type { Endpoint } from "../endpoint.js"
import { createLiveServer } from "./create-live-server.js"
import { createPipe } from "./create-pipe.js"

/** Who is at the other end of a pipe, and what kind of pipe it is. */
export interface PipeCaller {
  /** Who calls; the same for everything that comes through. */
  readonly principal?: Principal | undefined
  /** What the pipe is. */
  readonly transport: "stdio" | "in-memory"
}

/** A connection being served. */
export interface PipeServer {
  /** Ends it: listen streams get their final answer, calls are aborted; idempotent. */
  close(): Promise<void>
  /** Resolves once it has ended and everything it held is given back. */
  readonly closed: Promise<void>
}

/** Serves one connection that carries everything, in the era its first message asks for. */
export function servePipe(endpoint: Endpoint, wire: Transport, { principal, transport }: PipeCaller): PipeServer {
  const connection = endpoint.open(principal)
  const ended = endpoint.ledger.open("stream")
  let over = () => {}
  const closed = new Promise<void>((resolve) => {
    over = resolve
  })
  const pipe = createPipe(endpoint, wire, {
    view: connection.view,
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
      onerror: (cause) => endpoint.report({ code: "transport_failed", message: cause.message, cause }),
    },
  )
  return { closed, close: () => handle.close().then(() => closed) }
}
