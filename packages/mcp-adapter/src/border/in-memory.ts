import type { Transport } from "@modelcontextprotocol/server"
import type { Principal } from "@x/agentic-service"
import type { OptionRule } from "@x/base"
import { checkOptions } from "../adapter-error.js"
import type { McpAdapter } from "../create-adapter.js"
import { createEndpoint } from "../create-endpoint.js"
import { type EndpointOptions, endpointOptionRules } from "../endpoint-options.js"
import { checkGivenPrincipal } from "../runtime/callback.js"
import { type PipeEnd, servePipe } from "./pipe/serve-pipe.js"
import { settled } from "./server/deliver-notices.js"

export type { EndpointOptions } from "../endpoint-options.js"

/** Options of {@link connectInMemory}. */
export interface InMemoryOptions extends EndpointOptions {
  /** The calling principal. Default: anonymous. */
  readonly principal?: Principal
  /** The most listen streams of 2026-07-28 that the client may have open; one more is refused. Default 100. */
  readonly maxListens?: number
}

const rules: Record<keyof InMemoryOptions, OptionRule> = {
  ...endpointOptionRules,
  principal: "object",
  maxListens: { from: 0, whole: true },
}

/**
 * Connects one client in the same process, in either era. Messages cross as JSON text, so the two sides share no objects and
 * values are limited to JSON, as over a real connection. Each message arrives in its own task, in order.
 *
 * @returns The client's transport: pass it to the SDK's `Client`. Closing it ends the connection.
 * @throws AdapterError `invalid_option` for an unknown or invalid option.
 * @example
 * ```ts
 * import { Client } from "@modelcontextprotocol/client"
 * import { action, createAgenticService } from "@x/agentic-service"
 * import { createMcpAdapter } from "@x/mcp-adapter"
 * import { connectInMemory } from "@x/mcp-adapter/in-memory"
 *
 * const greet = action({ description: "Greets", execute: () => ({ text: "hello" }) })
 * const adapter = createMcpAdapter(createAgenticService({ name: "door", actions: { greet } }))
 * const client = new Client({ name: "example", version: "1" })
 * await client.connect(connectInMemory(adapter, { principal: { id: "ada" } }))
 * console.log((await client.callTool({ name: "greet" })).content) // [ { type: 'text', text: '{"text":"hello"}' } ]
 * await client.close()
 * adapter.close()
 * ```
 */
export function connectInMemory(adapter: McpAdapter, options: InMemoryOptions = {}): Transport {
  checkOptions(options, rules)
  checkGivenPrincipal("principal", options.principal)
  const endpoint = createEndpoint(adapter, options)
  const { clock } = endpoint.host
  const { principal, maxListens } = options
  let open = true
  const inOrder = (deliver: (text: string) => void): ((text: string) => Promise<void>) => {
    let last = Promise.resolve()
    return (text) => {
      const delivered = last.then(() => settled(clock)).then(() => (open ? deliver(text) : undefined))
      last = delivered.catch(() => undefined)
      return delivered
    }
  }
  const close = (): void => {
    if (!open) return
    open = false
    server.gone()
    client.onclose?.()
  }
  const toClient = inOrder((text) => client.onmessage?.(JSON.parse(text)))
  const server: PipeEnd = servePipe(
    endpoint,
    { send: toClient, close },
    { transport: "in-memory", principal, maxListens },
  )
  const toServer = inOrder(server.receive)
  const client: Transport = {
    start: async () => {},
    send: (message) =>
      open ? toServer(JSON.stringify(message)) : Promise.reject(new Error("the in-memory connection is closed")),
    close: async () => close(),
  }
  return client
}
