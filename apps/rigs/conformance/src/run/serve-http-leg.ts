import { createMcpAdapter } from "@x/mcp-adapter"
import { serveHttp } from "@x/mcp-adapter/http"
import { createFixture } from "../server/create-fixture.js"

/** A server under test. */
export interface Leg {
  /** The server's URL. */
  readonly url: string
  /** Closes the server. */
  close(): Promise<void>
}

/** Serves the fixtures over HTTP in this process. `close` rejects if anything is left open. */
export async function serveHttpLeg(): Promise<Leg> {
  const { service, extension, options } = createFixture()
  const adapter = createMcpAdapter(service, options)
  const server = await serveHttp(adapter, { port: 0, extension })
  return {
    // The suites test the check of the Host header only if the URL has a local name.
    url: server.url,
    async close() {
      await server.close()
      adapter.close()
      const open = Object.entries(adapter.ledger.counts()).filter(([, count]) => count > 0)
      if (open.length > 0) throw new Error(`left open: ${JSON.stringify(Object.fromEntries(open))}`)
    },
  }
}
