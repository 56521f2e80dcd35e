// JavaScript, because the soak benchmark runs it on the built packages; a test runs it on the sources.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { createMcpAdapter } from "@x/mcp-adapter"
import { serveHttp } from "@x/mcp-adapter/http"
import { connectInMemory } from "@x/mcp-adapter/in-memory"
import { createBoard } from "./board.mjs"

/** Serves a board to clients that connect, call, and leave during a call. */
export async function createRounds() {
  const adapter = createMcpAdapter(createBoard().service)
  // Few sessions, so that those of vanished clients are soon dropped.
  const server = await serveHttp(adapter, { port: 0, maxSessions: 8, requestRate: false, drainMs: 0 })
  const connectors = [() => new StreamableHTTPClientTransport(new URL(server.url)), () => connectInMemory(adapter)]
  return {
    ledger: adapter.ledger,
    async play(index) {
      const connect = connectors[index % 2]
      await playRound(connect(), { modern: index % 4 > 1, polite: index % 8 > 3 })
    },
    async close() {
      await server.close()
      adapter.close()
    },
  }
}

async function playRound(transport, { modern, polite }) {
  const info = { name: "rounds", version: "0" }
  const client = new Client(info, modern ? { versionNegotiation: { mode: "auto" } } : {})
  await client.connect(transport)
  if (modern) await client.listen({ toolsListChanged: true })
  await client.callTool({ name: "refuse" })
  await new Promise((running, failed) => {
    client.callTool({ name: "wait" }, { onprogress: running }).catch(failed)
  })
  if (polite) await transport.terminateSession?.()
  await client.close()
}
