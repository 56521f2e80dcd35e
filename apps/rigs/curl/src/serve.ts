import { createMcpAdapter } from "@x/mcp-adapter"
import { serveHttp } from "@x/mcp-adapter/http"
import { hello } from "./hello.js"

const adapter = createMcpAdapter(hello)
const server = await serveHttp(adapter, {
  port: 3000,
  legacy: "stateless",
  // Offers the service's own tools and resources only, with unchanged results, to keep this page short.
  states: "resources",
  tools: { runAction: false, listLinks: false },
  results: { catchUp: false },
})
console.log(server.url)

process.once("SIGTERM", async () => {
  await server.close()
  adapter.close()
})
