import { createServer } from "node:http"
import { toNodeHandler } from "@modelcontextprotocol/node"
import { createMcpHandler } from "@modelcontextprotocol/server"
import { createApplication } from "./sdk-v2-parts.mjs"

export async function serve(options) {
  const application = createApplication(options)
  const handler = createMcpHandler(() => application.createServer(), { maxSubscriptions: 10_000 })
  const server = createServer(toNodeHandler(handler))
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    url: `http://127.0.0.1:${server.address().port}/mcp`,
    toggle() {
      application.toggle()
      handler.notify.toolsChanged()
    },
  }
}
