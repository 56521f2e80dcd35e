import type { IncomingMessage, ServerResponse } from "node:http"
import { createLiveViewHandler } from "@x/live-view/node"
import type { McpAdapter } from "@x/mcp-adapter"
import { type HttpServer, serveHttp } from "@x/mcp-adapter/http"
import type { Options } from "./read-options.js"

/** Answers what is neither the endpoint's nor the live view's. */
export type OtherPaths = (request: IncomingMessage, response: ServerResponse) => void

/**
 * Serves a board on one port: MCP at `/mcp`, what models see of it at `/live/`, and whatever else there is. Ends with the
 * process. Rejects when the port cannot be taken.
 */
export async function serveBoard(
  adapter: McpAdapter,
  { exposure, host, port }: Options,
  others: OtherPaths = notFound,
): Promise<HttpServer> {
  // A demo's board is made to be looked at.
  const live = createLiveViewHandler(adapter, { show: true })
  const otherwise = (request: IncomingMessage, response: ServerResponse): void => {
    if (/^\/live(?:[/?]|$)/.test(request.url ?? "")) live.handle(request, response)
    else others(request, response)
  }
  const server = await serveHttp(adapter, { host, port, exposure, otherwise, exit: true }).catch(
    async (error: unknown) => {
      await live.close()
      adapter.close()
      throw error
    },
  )
  // Who looks would keep the server from closing.
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.once(signal, () => void live.close())
  return server
}

function notFound(_: IncomingMessage, response: ServerResponse): void {
  response.writeHead(404, { "content-length": "0" }).end()
}
