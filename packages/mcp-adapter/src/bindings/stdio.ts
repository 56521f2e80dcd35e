import { StdioServerTransport } from "@modelcontextprotocol/server/stdio"
import type { Principal } from "@x/agentic-service"
import type { McpAdapter } from "../create-adapter.js"
import { createEndpoint, type EndpointOptions } from "../create-endpoint.js"
import { type PipeServer, servePipe } from "./serve-pipe.js"

export type { EndpointOptions } from "../create-endpoint.js"
export type { PipeServer } from "./serve-pipe.js"

/** How {@link serveStdio} serves. */
export interface StdioOptions extends EndpointOptions {
  /** Who calls, as far as the application is concerned. Default: anonymous. */
  readonly principal?: Principal
}

/**
 * Serves one client over the process's standard input and output, in both eras. Ends when the input ends; nothing but
 * protocol goes to the output, so log to standard error.
 */
export function serveStdio(adapter: McpAdapter, options: StdioOptions = {}): PipeServer {
  const endpoint = createEndpoint(adapter, options)
  return servePipe(endpoint, new StdioServerTransport(), { transport: "stdio", principal: options.principal })
}
