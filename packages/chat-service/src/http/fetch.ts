import type { McpAdapter } from "@x/mcp-adapter"
import { type FetchHandler, toFetchHandler } from "@x/mcp-adapter/fetch"
import { type ChatHttpOptions, createChatEndpoint } from "./chat-endpoint.js"

export type { FetchHandler } from "@x/mcp-adapter/fetch"
export type { ChatHttpOptions } from "./chat-endpoint.js"
export type { ChatSessionLimits } from "./running.js"

/**
 * Serves one agent of an adapter without MCP's handshake, as ORBIT does: `tools/call` of `chat` in JSON-RPC, answered with
 * messages and sources, or with chunks as server-sent events. Calls have the adapter's limits, events and questions. Clients
 * must send `X-API-Key` and `X-Session-ID`. A session continues its conversation if the agent keeps conversations.
 *
 * @throws ServiceError `invalid_definition` for an invalid option.
 * @example
 * ```ts
 * import { createChatService } from "@x/chat-service"
 * import { createChatFetchHandler } from "@x/chat-service/fetch"
 * import { createMcpAdapter } from "@x/mcp-adapter"
 *
 * const guide = createChatService({ name: "guide", description: "Greets", respond: () => "Hello" })
 * const adapter = createMcpAdapter(guide)
 * const chat = createChatFetchHandler(adapter, { keys: new Map([["secret", { id: "ann" }]]) })
 * const stranger = new Request("http://127.0.0.1/v1/chat", { method: "POST", headers: { host: "127.0.0.1" } })
 * console.log((await chat.fetch(stranger)).status) // 401
 * await chat.close()
 * adapter.close()
 * ```
 */
export function createChatFetchHandler(adapter: McpAdapter, options: ChatHttpOptions): FetchHandler {
  return toFetchHandler(createChatEndpoint(adapter, options))
}
