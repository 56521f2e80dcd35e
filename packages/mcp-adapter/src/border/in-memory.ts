import type { Transport } from "@modelcontextprotocol/server"
import type { Principal } from "@x/agentic-service"
import type { OptionRule } from "@x/tool-schemas/json"
import { checkOptions } from "../adapter-error.js"
import type { McpAdapter } from "../create-adapter.js"
import { createEndpoint } from "../create-endpoint.js"
import { type EndpointOptions, endpointOptionRules } from "../endpoint-options.js"
import { checkGivenPrincipal } from "../runtime/callback.js"
import { type PipeEnd, servePipe } from "./pipe/serve-pipe.js"
import { settled } from "./server/deliver-notices.js"

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
 * Serves one client in the same process, in both eras. Messages cross as JSON text, so nothing is shared and nothing survives
 * that would not survive a real wire; each arrives in a task of its own, in order.
 *
 * @returns The client's end: give it to the SDK's `Client`. Closing it ends the connection.
 * @throws AdapterError `invalid_option` for an option that there is not, or that cannot be.
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
