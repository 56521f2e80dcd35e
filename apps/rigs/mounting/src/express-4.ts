import type { McpAdapter } from "@x/mcp-adapter"
import { createNodeHandler } from "@x/mcp-adapter/http"
import express from "express-4"

export function serveWithExpress4(adapter: McpAdapter, port: number) {
  const mcp = createNodeHandler(adapter)
  const app = express()

  // Before the body parser, because MCP's bodies may be larger than 100 kB.
  app.all("/mcp", mcp.handle)

  app.use(express.json())
  app.post("/echo", (request, response) => {
    response.json(request.body)
  })

  const server = app.listen(port, "127.0.0.1")
  return { server, close: () => mcp.close().then(() => server.close()) }
}
