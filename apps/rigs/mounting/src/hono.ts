import { serve } from "@hono/node-server"
import type { McpAdapter } from "@x/mcp-adapter"
import { createFetchHandler } from "@x/mcp-adapter/fetch"
import { Hono } from "hono"

export function serveWithHono(adapter: McpAdapter, port: number) {
  const mcp = createFetchHandler(adapter)
  const app = new Hono()

  app.all("/mcp", mcp.fetch)
  app.post("/echo", async (context) => context.json(await context.req.json()))

  const server = serve({ fetch: app.fetch, port, hostname: "127.0.0.1" })
  return { server, close: () => mcp.close().then(() => server.close()) }
}
