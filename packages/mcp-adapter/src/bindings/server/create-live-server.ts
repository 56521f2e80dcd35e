import type { Server } from "@modelcontextprotocol/server"
import type { Caller, Connection, Endpoint } from "../../endpoint.js"
import { clientInfoOf } from "./client-info-of.js"
import { createServer } from "./create-server.js"
import { deliverNotices, type NoticeSender } from "./deliver-notices.js"

/** What a server for a connection that lasts is told. */
export interface LiveServerOptions {
  /** Whom it serves. */
  readonly caller: Caller
  /** What notices are sent through. Default: the server itself. */
  readonly through?: (server: NoticeSender) => NoticeSender
  /** Runs when the server has closed. */
  readonly closed?: () => void
}

/**
 * A server for a connection that lasts: it delivers the view's notices while it is open. A legacy client gets none before
 * it says that it is ready (2025-11-25, basic/lifecycle).
 */
export function createLiveServer(
  endpoint: Endpoint,
  connection: Connection,
  { caller, through = (server) => server, closed }: LiveServerOptions,
): Server {
  const server = createServer(endpoint, connection, caller)
  let stop: (() => void) | undefined
  const start = () => {
    stop ??= deliverNotices(endpoint, connection, {
      server: through(server),
      caller,
      ...clientInfoOf(caller.leg, server),
      ended: () => void server.close(),
    })
  }
  if (caller.leg.era === "legacy") server.oninitialized = start
  else start()
  server.onclose = () => {
    stop?.()
    closed?.()
  }
  return server
}
