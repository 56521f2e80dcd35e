import type { IncomingMessage, ServerResponse } from "node:http"
import type { Gateway } from "./create-gateway.js"

/** A listener for Node's HTTP server. */
export type HttpListener = (request: IncomingMessage, response: ServerResponse) => void

/**
 * Creates a listener that answers `GET /healthz/servers` with how many servers are in each state, and passes other requests on.
 * It needs no authentication, so it names no server and no reason: `gateway.health()` does.
 *
 * @param otherwise - The listener for other requests. Default: a 404.
 * @example
 * ```ts
 * import { createMcpAdapter } from "@x/mcp-adapter"
 * import { serveHttp } from "@x/mcp-adapter/http"
 * import { createGateway, createHealthListener } from "@x/mcp-upstream/node"
 *
 * const gateway = createGateway({ mcpServers: {} })
 * const adapter = createMcpAdapter(gateway.service, gateway.adapterOptions)
 * const server = await serveHttp(adapter, { port: 0, otherwise: createHealthListener(gateway) })
 * const response = await fetch(new URL("/healthz/servers", server.url))
 * console.log(await response.json()) // { status: 'ok', servers: {} }
 * await server.close()
 * adapter.close()
 * await gateway.close()
 * ```
 */
export function createHealthListener(
  gateway: Pick<Gateway, "health">,
  otherwise: HttpListener = notFound,
): HttpListener {
  return (request, response) => {
    if (request.url?.split("?")[0] !== "/healthz/servers") return otherwise(request, response)
    if (request.method !== "GET" && request.method !== "HEAD")
      return send(response, 405, { error: "Method Not Allowed" })
    const states = gateway.health().map(({ state }) => state)
    const servers: Record<string, number> = {}
    for (const state of states) servers[state] = (servers[state] ?? 0) + 1
    const isFine = states.every((state) => FINE.includes(state))
    return send(response, 200, { status: isFine ? "ok" : "degraded", servers })
  }
}

const FINE: readonly string[] = ["connected", "connecting", "idle"]

function notFound(_: IncomingMessage, response: ServerResponse): void {
  send(response, 404, { error: "Not Found" })
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json", "cache-control": "no-store" })
  response.end(`${JSON.stringify(body)}\n`)
}
