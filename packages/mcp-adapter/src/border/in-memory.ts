import type { Transport } from "@modelcontextprotocol/server"
import type { Principal } from "@x/agentic-service"
import type { McpAdapter } from "../create-adapter.js"
import { createEndpoint, type EndpointOptions } from "../create-endpoint.js"
import { servePipe } from "./stdio/serve-pipe.js"
import { createTransportPair } from "./stdio/transport-pair.js"

export type { EndpointOptions } from "../create-endpoint.js"

/** How {@link connectInMemory} serves. */
export interface InMemoryOptions extends EndpointOptions {
  /** Who calls, as far as the application is concerned. Default: anonymous. */
  readonly principal?: Principal
  /** How many listen streams of 2026-07-28 the client may have open; one more is refused. Default 100. */
  readonly maxListens?: number
}

/**
 * Serves one client in the same process, in both eras, over messages that pass through JSON.
 *
 * @returns The client's end: give it to the SDK's `Client`. Closing it ends the connection.
 */
export function connectInMemory(adapter: McpAdapter, options: InMemoryOptions = {}): Transport {
  const endpoint = createEndpoint(adapter, options)
  const [client, server] = createTransportPair(endpoint.host.clock)
  const { principal, maxListens } = options
  servePipe(endpoint, server, { transport: "in-memory", principal, maxListens })
  return client
}
