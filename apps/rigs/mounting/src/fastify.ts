import type { McpAdapter } from "@x/mcp-adapter"
import { createNodeHandler } from "@x/mcp-adapter/http"
import fastify from "fastify"

export async function serveWithFastify(adapter: McpAdapter, port: number) {
  const mcp = createNodeHandler(adapter)
  const app = fastify()

  app.all("/mcp", { bodyLimit: 4 * 2 ** 20 }, mcp.handle)
  app.post("/echo", (request) => request.body)

  // Before Fastify waits for its connections, because open streams would keep it waiting.
  app.addHook("preClose", () => mcp.close())

  await app.listen({ port, host: "127.0.0.1" })
  return { server: app.server, close: () => app.close() }
}
