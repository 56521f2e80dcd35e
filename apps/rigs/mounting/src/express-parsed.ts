import type { McpAdapter } from "@x/mcp-adapter"
import { createNodeHandler } from "@x/mcp-adapter/http"
import express from "express"

export function serveAfterParser(adapter: McpAdapter, port: number) {
  const mcp = createNodeHandler(adapter)
  const app = express()

  app.use(express.json({ limit: "4mb" }))
  app.all("/mcp", (request, response) => mcp.handle(request, response, request.body))
  app.post("/echo", (request, response) => {
    response.json(request.body)
  })

  const server = app.listen(port, "127.0.0.1")
  return { server, close: () => mcp.close().then(() => server.close()) }
}
