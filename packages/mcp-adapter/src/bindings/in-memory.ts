import type { Transport } from "@modelcontextprotocol/server"
import type { Principal } from "@x/agentic-service"
import type { McpAdapter } from "../create-adapter.js"
import { createEndpoint, type EndpointOptions } from "../create-endpoint.js"
import { servePipe } from "./serve-pipe.js"
import { createTransportPair } from "./transport-pair.js"

export type { EndpointOptions } from "../create-endpoint.js"

/** How {@link connectInMemory} serves. */
export interface InMemoryOptions extends EndpointOptions {
  /** Who calls, as far as the application is concerned. Default: anonymous. */
  readonly principal?: Principal
}

/**
 * Serves one client in the same process, in both eras, over messages that pass through JSON.
 *
 * @returns The client's end: give it to the SDK's `Client`. Closing it ends the connection.
 */
export function connectInMemory(adapter: McpAdapter, options: InMemoryOptions = {}): Transport {
  const endpoint = createEndpoint(adapter, options)
  const [client, server] = createTransportPair(endpoint.clock)
  servePipe(endpoint, server, { transport: "in-memory", principal: options.principal })
  return client
}
