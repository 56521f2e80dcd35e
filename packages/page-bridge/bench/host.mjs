// The measured host: an app's backend with signed-in users, each with their own view.
import { createServer } from "node:http"
import { setImmediate } from "node:timers/promises"
import { createMcpAdapter } from "@x/mcp-adapter"
import { serveHttp } from "@x/mcp-adapter/http"
import { acceptPages } from "@x/page-bridge/node"

const server = createServer()
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve))
const pages = acceptPages(server, {
  authenticate: ({ request }) => ({ id: request.headers.cookie.slice("user=".length) }),
})
const adapter = createMcpAdapter((principal) => pages.of(principal), { principals: { max: 2_000 } })
const http = await serveHttp(adapter, {
  port: 0,
  requestRate: false,
  authenticate: ({ headers }) => ({ id: headers.get("authorization").slice("Bearer ".length) }),
})

const answers = {
  cpu() {
    const { user, system } = process.cpuUsage()
    return user + system
  },
  async heap() {
    for (let pass = 0; pass < 6; pass += 1) {
      await setImmediate()
      globalThis.gc()
    }
    return process.memoryUsage().heapUsed
  },
  async list(id) {
    const { tools } = await adapter.list({ principal: { id } })
    return tools.length
  },
}
process.on("message", async ({ what, of }) => process.send(await answers[what](of)))
process.on("disconnect", () => process.exit())
process.send({ port: server.address().port, url: http.url })
