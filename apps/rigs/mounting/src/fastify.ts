import type { McpAdapter } from "@x/mcp-adapter"
import { createNodeHandler } from "@x/mcp-adapter/http"
import fastify from "fastify"

export async function serveWithFastify(adapter: McpAdapter, port: number) {
  const mcp = createNodeHandler(adapter)
  const app = fastify()

  // In a scope of its own, because it must not take the other routes' body parsers away.
  app.register((scope, _options, registered) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser("*", (_request, _body, done) => done(null))
    scope.all("/mcp", (request, reply) => {
      reply.hijack()
      mcp.handle(request.raw, reply.raw)
    })
    registered()
  })

  app.post("/echo", (request) => request.body)

  // Before Fastify waits for its connections, because open streams would keep it waiting.
  app.addHook("preClose", () => mcp.close())

  await app.listen({ port, host: "127.0.0.1" })
  return { server: app.server, close: () => app.close() }
}
