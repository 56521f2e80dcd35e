import { createMcpAdapter } from "@x/mcp-adapter"
import { createFetchHandler } from "@x/mcp-adapter/fetch"
import { createFixture } from "../server/create-fixture.js"

/** The fixtures behind `fetch`, for hosts other than Node. */
export interface FetchFixture {
  /** Answers a request. */
  fetch(request: Request): Promise<Response>
  /** Closes the fixtures. Resolves to the resources that are still open. */
  close(): Promise<readonly string[]>
}

/** Serves the fixtures on any host with `fetch`. */
export function serveFixture(): FetchFixture {
  const { service, extension, options } = createFixture()
  const adapter = createMcpAdapter(service, options)
  const handler = createFetchHandler(adapter, { extension })
  return {
    fetch: (request) => handler.fetch(request),
    async close() {
      await handler.close()
      adapter.close()
      return Object.entries(adapter.ledger.counts()).flatMap(([kind, count]) => (count > 0 ? [`${count} ${kind}`] : []))
    },
  }
}
