import type { ServerResponse } from "node:http"
import type { McpAdapter } from "../../create-adapter.js"

/** Answers a probe of a process manager; `false` where the path is none of its own. */
export type HealthRoutes = (path: string, response: ServerResponse) => boolean

/**
 * `/healthz` is 200 as long as the process answers. `/readyz` is 200 once there is a first list, and 503 before and from
 * the moment the server begins to close, so that a load balancer looks elsewhere. They say nothing else, so they ask
 * nobody who they are, and a probe may come by address.
 *
 * @param closing - Whether the server has begun to close.
 */
export function createHealthRoutes(adapter: McpAdapter, closing: () => boolean): HealthRoutes {
  // Where each principal has a service of its own, none is there before its first request.
  let ready = !adapter.core.shared
  if (!ready) {
    const { view, release } = adapter.core.open(undefined)
    void view.ready.then(() => {
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
