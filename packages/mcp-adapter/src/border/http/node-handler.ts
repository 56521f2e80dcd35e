import type { IncomingMessage, ServerResponse } from "node:http"
import { toNodeHandler as fromNode, type NodeIncomingMessageLike } from "@modelcontextprotocol/node"
import type { McpAdapter } from "../../create-adapter.js"
import { type BodyLimits, createFetchHandler, type FetchHandler, type FetchOptions } from "../fetch.js"
import { createClientReport, type ReportClient } from "../server/client-report.js"
import { toClient } from "./http-exchange.js"

/** Serves MCP from a Node server of your own. */
export interface NodeHandler {
  /**
   * Answers one request at whatever path it is mounted.
   *
   * @param parsedBody - The body, where a body parser has read it already (`request.body` in Express).
   */
  handle(request: IncomingMessage, response: ServerResponse, parsedBody?: unknown): void
  /** Ends all streams and sessions, and resolves once they are gone. Idempotent. */
  close(): Promise<void>
}

/** Creates a handler for `node:http`, Express, Fastify and whatever else has Node's request and response. */
export function createNodeHandler(adapter: McpAdapter, options: FetchOptions = {}): NodeHandler {
  return toNodeHandler(createFetchHandler(adapter, options), adapter, options)
}

/** Serves from Node what takes a `Request` and gives a `Response`, with the limits of `options` and the adapter's reports. */
export function toNodeHandler(
  { fetch, close }: FetchHandler,
  { core }: Pick<McpAdapter, "core">,
  { maxBodyBytes }: BodyLimits = {},
): NodeHandler {
  const tell = createClientReport(core.host)
  const failed = (cause: unknown) =>
    core.host.report({ code: "transport_failed", message: "an HTTP request was not answered", cause })
  return {
    handle(request, response, parsedBody) {
      const { remoteAddress } = request.socket
      let taken = false
      const disconnect = () => response.destroy()
      const handle = fromNode(
        {
          fetch(webRequest, given) {
            taken = true
            return fetch(webRequest, { ...given, remoteAddress, disconnect })
          },
        },
        { onerror: failed, ...(maxBodyBytes !== undefined && { maxRequestBodySize: maxBodyBytes }) },
      )
      // Node's type has `method: string | undefined` where the SDK's has an optional one; both mean the same.
      handle(request as NodeIncomingMessageLike, response, parsedBody)
        .then(() => {
          if (!taken && response.statusCode === 413) tellTooLarge(tell, toClient(undefined, { remoteAddress }))
        })
        .catch(failed)
    },
    close,
  }
}

/** The SDK reads a body before it asks us, so a body that is too large is refused before anybody knows whose it is. */
function tellTooLarge(tell: ReportClient, client: string): void {
  tell(client, { code: "body_refused", message: `a body of "${client}" was refused: it is larger than "maxBodyBytes"` })
}
