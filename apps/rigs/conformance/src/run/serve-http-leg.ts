import { createMcpAdapter } from "@x/mcp-adapter"
import { serveHttp } from "@x/mcp-adapter/http"
import { createFixture } from "../server/create-fixture.js"

/** A server to be tested. */
export interface Leg {
  /** Where it is. */
  readonly url: string
  /** Ends it. */
  close(): Promise<void>
}

/** Serves the fixtures over HTTP in this process. Closing fails where anything is left open. */
export async function serveHttpLeg(): Promise<Leg> {
  const { service, extension } = createFixture()
  const adapter = createMcpAdapter(service)
  const server = await serveHttp(adapter, { port: 0, extension })
  return {
    // The suites test the guard against foreign hosts only where the URL has a local name.
    url: server.url,
    async close() {
      await server.close()
      adapter.close()
      const open = Object.entries(adapter.ledger.counts()).filter(([, count]) => count > 0)
      if (open.length > 0) throw new Error(`left open: ${JSON.stringify(Object.fromEntries(open))}`)
    },
  }
}
