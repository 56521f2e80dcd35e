import type { MessagePort } from "node:worker_threads"
import type { OptionRule } from "@x/base"
import { checkOptions } from "../adapter-error.js"
import type { McpAdapter } from "../create-adapter.js"
import { createEndpoint } from "../create-endpoint.js"
import { type EndpointOptions, endpointOptionRules } from "../endpoint-options.js"
import { type PipeServer, servePipe } from "./pipe/serve-pipe.js"

export type { EndpointOptions } from "../endpoint-options.js"
export type { PipeServer } from "./pipe/serve-pipe.js"

/** Options of {@link serveMessagePort}. */
export interface MessagePortOptions extends EndpointOptions {
  /** Milliseconds that calls may still run when the server closes. Default 0. */
  readonly drainMs?: number
}

const rules: Record<keyof MessagePortOptions, OptionRule> = { ...endpointOptionRules, drainMs: { from: 0 } }

/**
 * Serves one client in another thread, in either era, one message as JSON text per post. Ends once the port has closed.
 *
 * @example
 * ```ts
 * import { MessageChannel } from "node:worker_threads"
 * import { createAgenticService } from "@x/agentic-service"
 * import { createMcpAdapter } from "@x/mcp-adapter"
 * import { serveMessagePort } from "@x/mcp-adapter/message-port"
 *
 * const adapter = createMcpAdapter(createAgenticService({ name: "clock" }))
 * const server = serveMessagePort(adapter, new MessageChannel().port1)
 * await server.close()
 * adapter.close()
 * ```
 *
 * @throws AdapterError `invalid_option` for an unknown or invalid option.
 */
export function serveMessagePort(adapter: McpAdapter, port: MessagePort, options: MessagePortOptions = {}): PipeServer {
  checkOptions(options, rules)
  const { drainMs = 0 } = options
  const { receive, refuse, gone, close, closed } = servePipe(
    createEndpoint(adapter, options),
    { send: (text) => port.postMessage(text), close: () => port.close() },
    { transport: "message-port", drainMs },
  )
  port.on("message", (text: unknown) =>
    typeof text === "string" ? receive(text) : refuse("a message is not a text: post JSON as text"),
  )
  port.on("close", gone)
  return { close, closed }
}
