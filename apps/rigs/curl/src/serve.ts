import { createMcpAdapter } from "@x/mcp-adapter"
import { serveHttp } from "@x/mcp-adapter/http"
import { hello } from "./hello.js"

const adapter = createMcpAdapter(hello)
const server = await serveHttp(adapter, {
  port: 3000,
  legacy: "stateless",
  // No tools and resources but the service's own, and nothing in results but theirs, to keep this page short.
  states: "resources",
  tools: { runAction: false, listLinks: false },
  results: { catchUp: false },
})
console.log(server.url)

process.once("SIGTERM", async () => {
  await server.close()
  adapter.close()
})
