import { createServer } from "node:http"
import type { McpAdapter } from "@x/mcp-adapter"
import { createNodeHandler } from "@x/mcp-adapter/http"

export function serveWithNode(adapter: McpAdapter, port: number) {
  const mcp = createNodeHandler(adapter)

  const server = createServer((request, response) => {
    if (request.url === "/mcp") void mcp.handle(request, response)
    else request.pipe(response)
  })

  server.listen(port, "127.0.0.1")
  return { server, close: () => mcp.close().then(() => server.close()) }
}
