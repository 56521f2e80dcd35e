import type { IncomingMessage, ServerResponse } from "node:http"
import { createLiveViewHandler } from "@x/live-view/node"
import type { McpAdapter } from "@x/mcp-adapter"
import { type HttpServer, serveHttp } from "@x/mcp-adapter/http"
import type { Observable } from "rxjs"
import type { Activity } from "../board/activity.js"
import { createActivityFeed } from "./activity.js"
import type { Options } from "./read-options.js"

/** Answers requests outside the endpoint and the live view. */
export type OtherPaths = (request: IncomingMessage, response: ServerResponse) => void

/** A served board. */
export interface ServedBoard extends HttpServer {
  /** The connected models and their latest calls. */
  readonly activity$: Observable<Activity>
}

/**
 * Serves a board on one port: MCP at `/mcp`, the live view at `/live/`, who works on it at `/activity`, and other paths. Ends
 * with the process. Rejects if the port cannot be used.
 */
export async function serveBoard(
  adapter: McpAdapter,
  { exposure, host, port }: Options,
  others: OtherPaths = notFound,
): Promise<ServedBoard> {
  // The demo's board is public on purpose.
  const live = createLiveViewHandler(adapter, { show: true })
  const activity = createActivityFeed(adapter)
  const otherwise = (request: IncomingMessage, response: ServerResponse): void => {
    if (/^\/live(?:[/?]|$)/.test(request.url ?? "")) void live.handle(request, response)
    else if (request.url === "/activity") activity.answer(request, response)
    else others(request, response)
  }
  const server = await serveHttp(adapter, { host, port, exposure, otherwise, exit: true }).catch(
    async (error: unknown) => {
      activity.close()
      await live.close()
      adapter.close()
      throw error
    },
  )
  // An open live view or page would keep the server from closing.
  const release = (): void => {
    activity.close()
    void live.close()
  }
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.once(signal, release)
  return { ...server, activity$: activity.activity$ }
}

function notFound(_: IncomingMessage, response: ServerResponse): void {
  response.writeHead(404, { "content-length": "0" }).end()
}
