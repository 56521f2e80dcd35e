import type { Server, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { createDeferred } from "@x/base"
import type { McpAdapter } from "../../create-adapter.js"
import { type Clock, type Ledger, startTimer } from "../../runtime/host.js"

/** Answers a process manager's probe; returns `false` for any other path. */
export type HealthRoutes = (path: string, response: ServerResponse) => boolean

/**
 * Creates the probes. `/healthz` returns 200 as long as the process responds. `/readyz` returns 200 from the first complete
 * list until the server begins to close, otherwise 503, so that load balancers go elsewhere. Probes reveal nothing else:
 * no authentication is needed, and any `Host` is accepted.
 *
 * @param closing - Whether the server has begun to close.
 */
export function createHealthRoutes(adapter: McpAdapter, closing: () => boolean): HealthRoutes {
  // With a service for each principal, there is none before the first request.
  const { shared, profiles } = adapter.core
  let ready = !shared && profiles === undefined
  if (!ready) {
    const { view, release } = adapter.core.open(undefined)
    void view.ready().then(() => {
      ready = true
      release()
    })
  }
  return (path, response) => {
    if (path === "/healthz") answer(response, 200, "ok")
    else if (path !== "/readyz") return false
    else if (ready && !closing()) answer(response, 200, "ready")
    else answer(response, 503, "not ready")
    return true
  }
}

function answer(response: ServerResponse, status: number, word: string): void {
  response.writeHead(status, { "content-type": "application/json", "cache-control": "no-store" })
  response.end(`${JSON.stringify({ status: word })}\n`)
}

/** Closes a Node server without cutting off answers. */
export interface ServerCloser {
  /** Stops listening, waits up to `grace` milliseconds for answers in progress to be sent, and closes every socket. */
  close(grace: number): Promise<void>
}

/** Creates the closer of a Node server. Create it before the first request, because it counts them. */
export function createServerCloser(
  server: Server,
  host: { readonly ledger: Ledger; readonly clock: Clock },
): ServerCloser {
  let writing = 0
  // Includes upgraded sockets, such as WebSockets, which Node does not count as HTTP connections: they would keep the server
  // open.
  const sockets = new Set<Socket>()
  server.on("connection", (socket) => {
    sockets.add(socket)
    socket.once("close", () => sockets.delete(socket))
  })
  const out = createDeferred()
  let closing = false
  const look = (): void => {
    if (closing && writing === 0) out.resolve()
  }
  server.on("request", (_request, response) => {
    writing += 1
    response.once("close", () => {
      writing -= 1
      look()
    })
  })
  return {
    async close(grace) {
      const closed = new Promise((resolve) => server.close(resolve))
      closing = true
      const cancel = startTimer(host, grace, out.resolve)
      look()
      await out.promise
      cancel()
      server.closeAllConnections()
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}
