import type { McpAdapter } from "@x/mcp-adapter"
import { type NodeHandler, toNodeHandler } from "@x/mcp-adapter/http"
import { type ChatHttpOptions, createChatFetchHandler } from "./fetch.js"

export type { NodeHandler } from "@x/mcp-adapter/http"
export type { ChatHttpOptions, ChatSessionLimits, FetchHandler } from "./fetch.js"
export { createChatFetchHandler } from "./fetch.js"

/**
 * {@link createChatFetchHandler} for `node:http`, Express, Fastify and whatever else has Node's request and response; it
 * answers at whatever path it is mounted, such as `/v1/chat`.
 */
export function createChatNodeHandler(adapter: McpAdapter, options: ChatHttpOptions): NodeHandler {
  return toNodeHandler(createChatFetchHandler(adapter, options), adapter, options)
}
