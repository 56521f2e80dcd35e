import { randomUUID } from "node:crypto"
import { createServer } from "node:http"
import { NodeStreamableHTTPServerTransport } from "@modelcontextprotocol/node"
import { createApplication } from "./sdk-v2-parts.mjs"

export async function serve(options) {
  const application = createApplication(options)
  const sessions = new Map()
  const open = async () => {
    const server = application.createServer()
    const transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => sessions.set(id, { transport, server }),
    })
    await server.connect(transport)
    return transport
  }
  const server = createServer(async (request, response) => {
    const found = sessions.get(request.headers["mcp-session-id"])
    const transport = found?.transport ?? (await open())
    await transport.handleRequest(request, response)
  })
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    url: `http://127.0.0.1:${server.address().port}/mcp`,
    toggle() {
      application.toggle()
      for (const each of sessions.values()) void each.server.sendToolListChanged()
    },
  }
}
