// The live view for Node's HTTP server and frameworks with its request and response.
import type { McpAdapter } from "@x/mcp-adapter"
import { type NodeHandler, toNodeHandler } from "@x/mcp-adapter/http"
import { createLiveViewEndpoint } from "./create-live-view.js"
import type { LiveViewOptions } from "./live-view-options.js"

/**
 * Creates the live view for `node:http`, Express, Fastify and other frameworks with Node's request and response. Pass it every
 * request whose path is `path` or below.
 *
 * @throws LiveViewError `invalid_option` for an unknown or invalid option.
 * @example
 * ```ts
 * import { once } from "node:events"
 * import { createServer } from "node:http"
 * import { createAgenticService } from "@x/agentic-service"
 * import { createLiveViewHandler } from "@x/live-view/node"
 * import { createMcpAdapter } from "@x/mcp-adapter"
 *
 * const adapter = createMcpAdapter(createAgenticService({ name: "door" }))
 * const live = createLiveViewHandler(adapter, { show: { values: true } })
 * const server = createServer(live.handle).listen(4000, "127.0.0.1") // the page is http://127.0.0.1:4000/live/
 * await once(server, "listening")
 * await live.close()
 * server.close()
 * adapter.close()
 * ```
 */
export function createLiveViewHandler(adapter: McpAdapter, options: LiveViewOptions = {}): NodeHandler {
  return toNodeHandler(createLiveViewEndpoint(adapter, options))
}
