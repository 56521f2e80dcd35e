// On Node's own server, and whatever has its request and response.
import type { McpAdapter } from "@x/mcp-adapter"
import { type NodeHandler, toNodeHandler } from "@x/mcp-adapter/http"
import { createLiveViewEndpoint } from "./create-live-view.js"
import type { LiveViewOptions } from "./live-view-options.js"

/**
 * Makes the live view for `node:http`, Express, Fastify and whatever else has Node's request and response. Hand it every
 * request whose path is `path` or below it.
 *
 * @throws LiveViewError `invalid_option` for an option that there is not, or that cannot be.
 */
export function createLiveViewHandler(adapter: McpAdapter, options: LiveViewOptions = {}): NodeHandler {
  return toNodeHandler(createLiveViewEndpoint(adapter, options))
}
