import { createServer } from "node:http"
import type { McpAdapter } from "@x/mcp-adapter"
import type { NodeHandler } from "@x/mcp-adapter/http"

/** A server in this process. */
export interface Listening {
  /** The handler's URL. */
  readonly url: string
  /** Closes the server, its handler and its adapter. */
  close(): Promise<void>
}

/** Serves a handler at one path on a free port. */
export async function listenWith(path: string, handler: NodeHandler, adapter: McpAdapter): Promise<Listening> {
  const server = createServer((request, response) => handler.handle(request, response))
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  const port = typeof address === "object" ? address?.port : undefined
  return {
    url: `http://127.0.0.1:${port}${path}`,
    async close() {
      await handler.close()
      await new Promise((resolve) => server.close(resolve))
      adapter.close()
    },
  }
}
