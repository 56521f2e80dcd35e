import { join } from "node:path"
import { createMcpAdapter } from "@x/mcp-adapter"
import { serveHttp } from "@x/mcp-adapter/http"
import { createGateway } from "@x/mcp-upstream/node"
import type { Leg } from "./serve-http-leg.js"
import type { Suite } from "./suites.js"

/**
 * Serves the stdio fixtures over HTTP through our own gateway, without a name prefix. `close` rejects if anything is left open
 * on either side.
 */
export async function serveGatewayLeg({ name }: Pick<Suite, "name">): Promise<Leg> {
  // Some fixtures elicit input in one era only, so the gateway connects to them in the tested era.
  const era = name.includes("2026-07-28") ? "modern" : "legacy"
  const args = [join(import.meta.dirname, "..", "serve.js")]
  const fixture = { command: process.execPath, args, prefix: false, era } as const
  const gateway = createGateway({ mcpServers: { fixture } })
  const upstream = gateway.servers().get("fixture")
  const adapter = createMcpAdapter(gateway.service, {
    limits: { readyWaitMs: 30_000 },
    publish: { profile: "verbatim" },
  })
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
