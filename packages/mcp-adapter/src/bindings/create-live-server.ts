import type { Server } from "@modelcontextprotocol/server"
import type { Caller, Connection, Endpoint } from "../endpoint.js"
import { createServer } from "./create-server.js"
import { deliverNotices } from "./deliver-notices.js"

/**
 * A server for a connection that lasts: it delivers the view's notices while it is open. A legacy client gets none before
 * it says that it is ready (2025-11-25, basic/lifecycle).
 *
 * @param closed - Runs when the server has closed.
 */
export function createLiveServer(
  endpoint: Endpoint,
  connection: Connection,
  { caller, closed }: { readonly caller: Caller; readonly closed?: () => void },
): Server {
  const server = createServer(endpoint, connection, caller)
  let stop: (() => void) | undefined
  const start = () => {
    stop ??= deliverNotices(endpoint, connection, { server, caller, ended: () => void server.close() })
  }
  if (caller.leg.era === "legacy") server.oninitialized = start
  else start()
  server.onclose = () => {
    stop?.()
    closed?.()
  }
  return server
}
