import { createMcpAdapter } from "@x/mcp-adapter"
import { createFetchHandler } from "@x/mcp-adapter/fetch"
import { createFixture } from "../server/create-fixture.js"

/** The fixtures behind `fetch`, for a host that is not Node. */
export interface FetchFixture {
  /** Answers a request. */
  fetch(request: Request): Promise<Response>
  /** Ends it; says what is left open. */
  close(): Promise<readonly string[]>
}

/** Serves the fixtures wherever there is `fetch`. */
export function serveFixture(): FetchFixture {
  const { service, extension } = createFixture()
  const adapter = createMcpAdapter(service)
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
