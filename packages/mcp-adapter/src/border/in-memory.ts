import type { Transport } from "@modelcontextprotocol/server"
import type { Principal } from "@x/agentic-service"
import type { OptionRule } from "@x/tool-schemas/json"
import { checkOptions } from "../adapter-error.js"
import type { McpAdapter } from "../create-adapter.js"
import { createEndpoint } from "../create-endpoint.js"
import { type EndpointOptions, endpointOptionRules } from "../endpoint-options.js"
import { servePipe } from "./stdio/serve-pipe.js"
import { createTransportPair } from "./stdio/transport-pair.js"

export type { EndpointOptions } from "../endpoint-options.js"

/** How {@link connectInMemory} serves. */
export interface InMemoryOptions extends EndpointOptions {
  /** Who calls, as far as the application is concerned. Default: anonymous. */
  readonly principal?: Principal
  /** How many listen streams of 2026-07-28 the client may have open; one more is refused. Default 100. */
  readonly maxListens?: number
}

const rules: Record<keyof InMemoryOptions, OptionRule> = {
  ...endpointOptionRules,
  principal: "object",
  maxListens: { from: 0, whole: true },
}

/**
 * Serves one client in the same process, in both eras, over messages that pass through JSON.
 *
 * @returns The client's end: give it to the SDK's `Client`. Closing it ends the connection.
 * @throws AdapterError `invalid_option` for an option that there is not, or that cannot be.
 */
export function connectInMemory(adapter: McpAdapter, options: InMemoryOptions = {}): Transport {
  checkOptions(options, rules)
  const endpoint = createEndpoint(adapter, options)
  const [client, server] = createTransportPair(endpoint.host.clock)
  const { principal, maxListens } = options
  servePipe(endpoint, server, { transport: "in-memory", principal, maxListens })
  return client
}
