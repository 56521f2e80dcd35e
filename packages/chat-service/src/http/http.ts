import type { McpAdapter } from "@x/mcp-adapter"
import { type NodeHandler, toNodeHandler } from "@x/mcp-adapter/http"
import { type ChatHttpOptions, createChatEndpoint } from "./chat-endpoint.js"

export type { NodeHandler } from "@x/mcp-adapter/http"
export type { ChatHttpOptions, ChatSessionLimits, FetchHandler } from "./fetch.js"
export { createChatFetchHandler } from "./fetch.js"

/**
 * Creates the {@link createChatFetchHandler} for `node:http`, Express, Fastify and other frameworks with Node's request and
 * response. Mount it at any path, such as `/v1/chat`.
 *
 * @throws ServiceError `invalid_definition` for an invalid option.
 * @example
 * ```ts
 * import { createServer } from "node:http"
 * import { createChatService } from "@x/chat-service"
 * import { createChatNodeHandler } from "@x/chat-service/http"
 * import { createMcpAdapter } from "@x/mcp-adapter"
 *
 * const guide = createChatService({ name: "guide", description: "Greets", respond: () => "Hello" })
 * const adapter = createMcpAdapter(guide)
 * const chat = createChatNodeHandler(adapter, { keys: new Map([["secret", { id: "ann" }]]) })
 * const server = createServer(chat.handle).listen(0, "127.0.0.1", async () => {
 *   await chat.close()
 *   server.close()
 *   adapter.close()
 * })
 * ```
 */
export function createChatNodeHandler(adapter: McpAdapter, options: ChatHttpOptions): NodeHandler {
  return toNodeHandler(createChatEndpoint(adapter, options))
}
