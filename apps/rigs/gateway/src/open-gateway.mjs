import { createMcpAdapter } from "@x/mcp-adapter"
import { createGateway } from "@x/mcp-upstream/node"

/** Puts one server behind a gateway, without a prefix, with its schemas as they are. */
export async function openGateway(server) {
  const gateway = createGateway({ mcpServers: { server: { ...server, prefix: false } } })
  const adapter = createMcpAdapter(gateway.service, {
    limits: { readyWaitMs: 30_000 },
    publish: { profile: "verbatim" },
  })
  return {
    adapter,
    endpoint: { extension: gateway.extension, results: { catchUp: false } },
    /** Closes everything. Returns what is still open, by kind. */
    async close() {
      adapter.close()
      const upstream = gateway.servers().get("server")
      await gateway.close()
      const held = { ...adapter.ledger.counts(), ...upstream.holdings() }
      return Object.fromEntries(Object.entries(held).filter(([, count]) => count > 0))
    },
  }
}
