import type { Server } from "@modelcontextprotocol/sdk/server/index.js"
import type { Principal } from "@x/agentic-service"
import type { OptionRule } from "@x/base"
import {
  type Capabilities,
  checkOptions,
  createEndpoint,
  type Endpoint,
  endpointOptionRules,
} from "../border/binding.js"
import { deliverNotices } from "../border/server/deliver-notices.js"
import { clientInfoOf } from "../border/server/to-context.js"
import { announcedMethods } from "../handlers/methods.js"
import { AdapterError, type EndpointOptions, type McpAdapter, type ServerNotice } from "../index.js"
import { checkGivenPrincipal } from "../runtime/callback.js"
import { once } from "../runtime/host.js"
import {
  type Attached,
  type Attachment,
  createAttachment,
  followServer,
  type IdentifyCaller,
} from "./create-attachment.js"
import { createMethods, createOurs, type MethodsOptions, putHandlers } from "./methods.js"
import { internalsOf } from "./sdk-server.js"

export type { IdentifyCaller } from "./create-attachment.js"

/**
 * Options of {@link bindSdkV1}. Instructions, prompts and everything else beside services stay with the server, which has its
 * own API for them. Linked services get namespaced names.
 */
export interface SdkV1Options extends Omit<EndpointOptions, "extension" | "links"> {
  /**
   * The calling principal, or a function that identifies it for each request. A server has one client, so all its requests must
   * come from one principal; those of another are refused. Default: anonymous.
   */
  readonly principal?: Principal | IdentifyCaller
  /**
   * Whether the server's transport can carry notices, so that they are announced and sent. Set it to `false` if the transport
   * cannot reach the client between two answers, like a `StreamableHTTPServerTransport` without sessions. Default `true`.
   */
  readonly notices?: boolean
}

const { extension: _, links: __, ...endpointRules } = endpointOptionRules
const rules: Record<keyof SdkV1Options, OptionRule> = { ...endpointRules, principal: "any", notices: "flag" }

/** An adapter bound to a server of SDK v1. */
export interface SdkV1Binding {
  /** Removes our handlers and notices; the server continues with its earlier ones. Idempotent. */
  close(): void
}

/**
 * Binds an adapter to a `Server` of `@modelcontextprotocol/sdk` 1.x, or to an `McpServer` through its property `server`. The
 * server keeps its own handlers: lists are merged, and if a name exists on both sides, the server's is used. Bind after the
 * server's own tools, resources and callbacks (`onclose`, `oninitialized`) are in place, and before it connects; a connected
 * server must already announce the capabilities. It ends when the connection or the adapter closes.
 *
 * @throws AdapterError `already_connected` if the server is connected and lacks a capability, `unsupported_sdk` if it is not a
 * server of SDK v1, `invalid_option` for an unknown or invalid option.
 * @example
 * ```ts
 * import { Client } from "@modelcontextprotocol/sdk/client/index.js"
 * import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js"
 * import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js"
 * import { action, createAgenticService } from "@x/agentic-service"
 * import { createMcpAdapter } from "@x/mcp-adapter"
 * import { bindSdkV1 } from "@x/mcp-adapter/sdk-v1"
 *
 * const greet = action({ description: "Greets", execute: () => ({ text: "hello" }) })
 * const adapter = createMcpAdapter(createAgenticService({ name: "door", actions: { greet } }))
 * const server = new McpServer({ name: "existing", version: "1" })
 * server.registerTool("ping", { description: "Pings" }, () => ({ content: [{ type: "text", text: "pong" }] }))
 * bindSdkV1(adapter, server.server) // before it connects
 * const [ours, theirs] = InMemoryTransport.createLinkedPair()
 * await server.connect(ours)
 * const client = new Client({ name: "example", version: "1" })
 * await client.connect(theirs)
 * console.log((await client.listTools()).tools.map(({ name }) => name)) // [ 'greet', 'ping' ]
 * await client.close()
 * adapter.close()
 * ```
 */
export function bindSdkV1(adapter: McpAdapter, server: Server, options: SdkV1Options = {}): SdkV1Binding {
  checkOptions(options, rules)
  if (typeof options.principal !== "function") checkGivenPrincipal("principal", options.principal)
  const { notices: canNotify = true, tools: { pageSize = 1_000 } = {}, principal } = options
  const theirs = new Map(internalsOf(server).handlers)
  const endpoint = createEndpoint(adapter, options)
  const capabilities = endpoint.capabilities({ transport: "stdio", era: "legacy", notices: canNotify })
  announce(server, capabilities)

  let close = (): void => {}
  const notices = createNotices(endpoint, server, { capabilities, ended: () => close() })
  const attachment = createAttachment(endpoint, { principal, notices: canNotify, attached: notices.of })
  const ended = endpoint.host.ledger.open("session")
  const ours = createOurs(endpoint, server, attachment)
  const knows = createKnows(attachment)
  const methods = createMethods({ ours, theirs, knows, pageSize, report: endpoint.host.report })
  const takeOff = putHandlers(server, methods, announcedMethods(capabilities))
  close = once(() => {
    takeOff()
    notices.end()
    attachment.release()
    ended()
  })
  notices.begin()
  return { close }
}

/** Creates the check whether a name or URI is ours. A subscribed state stays ours while it is hidden. */
function createKnows(attachment: Attachment): MethodsOptions["knows"] {
  return async (key, id, extra) => {
    const { connection } = await attachment.of(extra)
    const { knows, subscriptions, view } = connection
    await view.ready()
    return key === "name" ? knows(id) : view.state(id) !== undefined || subscriptions().has(id)
  }
}

/**
 * Announces our capabilities beside the server's own. A connected server can announce nothing new, so it must already have
 * announced them.
 *
 * @throws AdapterError `already_connected` if it has not.
 */
function announce(server: Server, capabilities: Capabilities): void {
  if (server.transport === undefined) {
    server.registerCapabilities(capabilities)
    return
  }
  const announced = paths(internalsOf(server).capabilities)
  const missing = paths(capabilities).filter((path) => !announced.includes(path))
  if (missing.length === 0) return
  const names = missing.map((path) => `"${path}"`).join(", ")
  throw new AdapterError(
    `the server is already connected and does not announce ${names}: bind before it connects, or pass them to its constructor`,
    { code: "already_connected" },
  )
}

/** Lists capability paths, such as `tools` and `tools.listChanged`. */
function paths(capabilities: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.entries(capabilities).flatMap(([name, settings]) => [
    name,
    ...Object.entries(settings ?? {}).flatMap(([setting, value]) => (value === true ? [`${name}.${setting}`] : [])),
  ])
}

/** The notices of one server while the binding lasts. */
interface Notices {
  /** Sets the client that receives them. */
  of(attached: Attached): void
  /**
   * Starts sending, once the client says that it is ready (2025-11-25, basic/lifecycle). A client that said so earlier is told
   * that both lists have changed.
   */
  begin(): void
  /** Stops sending, after announcing once more that both lists have changed. */
  end(): void
}

/** Options of a server's notices. */
interface NoticesOptions {
  /** The announced capabilities. */
  readonly capabilities: Capabilities
  /** Runs when the connection or the view has ended. */
  ended(): void
}

/** Creates the notices of one server. */
function createNotices(endpoint: Endpoint, server: Server, { capabilities, ended }: NoticesOptions): Notices {
  let source: Attached | undefined
  let ready = false
  let stop = (): void => {}
  let unfollow = (): void => {}
  const start = (): void => {
    if (!ready || source === undefined) return
    stop()
    stop = deliverNotices(endpoint, source.connection, {
      send: (notice) => send(server, notice),
      caller: source.caller,
      ...clientInfoOf(source.caller.leg, server),
      ended,
    })
  }
  return {
    of(attached) {
      source = attached
      start()
    },
    begin() {
      // The SDK has no other way to tell whether the client is initialized.
      ready = server.transport !== undefined && server.getClientCapabilities() !== undefined
      const onReady = (): void => {
        ready = true
        start()
      }
      unfollow = followServer(server, { ready: onReady, ended })
      if (ready) sendListsChanged(endpoint, server, capabilities)
      start()
    },
    end() {
      unfollow()
      stop()
      if (ready && server.transport !== undefined) sendListsChanged(endpoint, server, capabilities)
    },
  }
}

function send(server: Server, notice: ServerNotice): Promise<void> {
  switch (notice.kind) {
    case "tools":
      return server.sendToolListChanged()
    case "prompts":
      return server.sendPromptListChanged()
    case "resources":
      return server.sendResourceListChanged()
    case "updated":
      return server.sendResourceUpdated({ uri: notice.uri })
  }
}

function sendListsChanged({ host: { report } }: Endpoint, server: Server, { tools, resources }: Capabilities): void {
  const send = (sent: Promise<void>): void => {
    sent.catch((cause: unknown) => report({ code: "transport_failed", message: "a list change was not sent", cause }))
  }
  if (tools.listChanged) send(server.sendToolListChanged())
  if (resources?.listChanged) send(server.sendResourceListChanged())
}
