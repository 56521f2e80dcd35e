import { bodyParser } from "@koa/bodyparser"
import type { McpAdapter } from "@x/mcp-adapter"
import { createNodeHandler } from "@x/mcp-adapter/http"
import Koa from "koa"

export function serveWithKoa(adapter: McpAdapter, port: number) {
  const mcp = createNodeHandler(adapter)
  const app = new Koa()

  // Before the body parser, because MCP's bodies may be larger than 1 MB.
  app.use((context, next) => (context.path === "/mcp" ? mcp.handle(context) : next()))

  app.use(bodyParser())
  app.use((context) => {
    if (context.path === "/echo") context.body = context.request.body
  })

  const server = app.listen(port, "127.0.0.1")
  return { server, close: () => mcp.close().then(() => server.close()) }
}
