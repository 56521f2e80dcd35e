import { join } from "node:path"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { serveHttp } from "@x/mcp-adapter/http"
import { openGateway } from "./open-gateway.mjs"

/** Serves a server through the gateway over HTTP. `close` returns everything that the gateway has left open. */
async function overHttp(server) {
  const { adapter, endpoint, close } = await openGateway(server)
  const http = await serveHttp(adapter, { port: 0, ...endpoint })
  return {
    transport: new StreamableHTTPClientTransport(new URL(http.url)),
    async close() {
      await http.close()
      return close()
    },
  }
}

/** Serves a server through the gateway in a process of its own, over standard input and output. */
async function overStdio(server) {
  const args = [join(import.meta.dirname, "gateway-process.mjs"), JSON.stringify(server)]
  return {
    transport: new StdioClientTransport({ command: process.execPath, args, stderr: "ignore" }),
    close: async () => ({}),
  }
}

/** The transports between a client and the gateway. */
export const outsides = { http: overHttp, stdio: overStdio }
