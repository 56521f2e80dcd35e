import { join } from "node:path"
import { createMcpAdapter } from "@x/mcp-adapter"
import { serveHttp } from "@x/mcp-adapter/http"
import { createGateway } from "@x/mcp-upstream/node"
import type { Leg } from "./serve-http-leg.js"

/**
 * Serves the fixtures over stdio behind our own gateway, over HTTP: their one server without a prefix. Closing fails where
 * anything is left open, on either side.
 */
export async function serveGatewayLeg(): Promise<Leg> {
  const fixture = { command: process.execPath, args: [join(import.meta.dirname, "..", "serve.js")], prefix: false }
  const gateway = createGateway({ mcpServers: { fixture } })
  const upstream = gateway.servers().get("fixture")
  const adapter = createMcpAdapter(gateway.service, { limits: { readyWaitMs: 30_000 } })
  await adapter.list()
  const server = await serveHttp(adapter, { port: 0, extension: gateway.extension })
  return {
    url: server.url,
    async close() {
      await server.close()
      adapter.close()
      await gateway.close()
      const held = { ...adapter.ledger.counts(), ...upstream?.holdings() }
      const open = Object.entries(held).filter(([, count]) => count > 0)
      if (open.length > 0) throw new Error(`left open: ${JSON.stringify(Object.fromEntries(open))}`)
    },
  }
}
