import { once } from "node:events"
import { createServer } from "node:http"
import { createChatService, type Respond, type RespondContext } from "@x/chat-service"
import { createChatNodeHandler } from "@x/chat-service/http"
import { createMcpAdapter, type McpAdapter } from "@x/mcp-adapter"
import { createNodeHandler } from "@x/mcp-adapter/http"
import type { Settings } from "./read-settings.js"

/** A running chat server. */
export interface ServedChat {
  /** The server's URL: MCP at `/mcp`, plain HTTP at `/v1/chat`. */
  readonly url: string
  /** The adapter, for its events. */
  readonly adapter: McpAdapter
  /** Closes the server once running answers have ended. */
  close(): Promise<void>
}

/** Serves an agent at one or both endpoints, on this machine only. */
export async function serveChat(
  respond: Respond<RespondContext>,
  { port, key, serves = "both" }: Pick<Settings, "port" | "key"> & Partial<Pick<Settings, "serves">>,
): Promise<ServedChat> {
  const guide = createChatService({ name: "guide", description: "Answers questions", conversation: "kept", respond })
  const adapter = createMcpAdapter(guide)
  const mcp = createNodeHandler(adapter)
  const chat = createChatNodeHandler(adapter, { keys: new Map([[key, { id: "owner" }]]) })
  const server = createServer((request, response) => {
    if (request.url === "/mcp" && serves !== "api") void mcp.handle(request, response)
    else if (request.url === "/v1/chat" && serves !== "mcp") void chat.handle(request, response)
    else response.writeHead(404).end()
  })
  server.listen(port, "127.0.0.1")
  await once(server, "listening").catch((error: unknown) => {
    adapter.close()
    throw error
  })
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === "object" ? address?.port : port}`,
    adapter,
    async close() {
      await Promise.all([mcp.close(), chat.close()])
      server.close()
      server.closeIdleConnections()
      adapter.close()
    },
  }
}
