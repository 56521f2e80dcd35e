import type { Server } from "@modelcontextprotocol/sdk/server/index.js"
import type { Principal } from "@x/agentic-service"
import type { OptionRule } from "@x/tool-schemas/json"
import { AdapterError, checkOptions } from "../../adapter-error.js"
import type { McpAdapter } from "../../create-adapter.js"
import { createEndpoint } from "../../create-endpoint.js"
import type { Endpoint } from "../../endpoint.js"
import { type EndpointOptions, endpointOptionRules } from "../../endpoint-options.js"
import type { ServerNotice } from "../../handlers/extension.js"
import { announcedMethods, type Capabilities } from "../../handlers/methods.js"
import { checkGivenPrincipal } from "../../runtime/callback.js"
import { once } from "../../runtime/host.js"
import { deliverNotices } from "../server/deliver-notices.js"
import { clientInfoOf } from "../server/to-context.js"
import {
  type Attached,
  type Attachment,
  createAttachment,
  followServer,
  type IdentifyCaller,
} from "./create-attachment.js"
import { createMethods, createOurs, type MethodsOptions, putHandlers } from "./methods.js"
import { internalsOf } from "./sdk-server.js"

/**
 * How {@link bindSdkV1} serves. Instructions, prompts and whatever else there is beside services belong to the server, which
 * has ways of its own for them; linked services are under namespaced names.
 */
export interface SdkV1Options extends Omit<EndpointOptions, "extension" | "links"> {
  /**
   * Who calls: the same for everything, or found out for every request anew. A server has one client, so all its requests
   * must come from one principal; those of another are refused. Default: anonymous.
   */
  readonly principal?: Principal | IdentifyCaller
  /**
   * Whether the server's transport can carry notices, so that they are announced and sent. Set it to `false` for what has no
   * way to the client between two answers, such as a `StreamableHTTPServerTransport` without sessions. Default `true`.
   */
  readonly notices?: boolean
}

const { extension: _, links: __, ...endpointRules } = endpointOptionRules
const rules: Record<keyof SdkV1Options, OptionRule> = { ...endpointRules, principal: "any", notices: "flag" }

/** An adapter on a server of SDK v1. */
export interface SdkV1Binding {
  /** Takes our handlers and notices off the server, which goes on with what it had before; idempotent. */
  close(): void
}

/**
 * Puts an adapter on a `Server` of `@modelcontextprotocol/sdk` 1.x, or on an `McpServer` through its property `server`. What
 * the server has of its own stays: lists are merged, and a name that both have is the server's. Bind last, after the
 * server's own tools, resources and callbacks (`onclose`, `oninitialized`) are in place, and before it connects; a server
 * that is connected must have announced the capabilities already. It ends by itself when the connection or the adapter does.
 *
 * @throws AdapterError `already_connected` when the server can announce nothing new any more, `unsupported_sdk` when it is
 * not a server of SDK v1, `invalid_option` for an option that there is not, or that cannot be.
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

/** What ours can answer: a state that is subscribed to stays ours while it is hidden. */
function createKnows(attachment: Attachment): MethodsOptions["knows"] {
  return async (key, id, extra) => {
    const { connection } = await attachment.of(extra)
    const { knows, subscriptions, view } = connection
    await view.ready()
    return key === "name" ? knows(id) : view.state(id) !== undefined || subscriptions().has(id)
  }
}

/**
 * Has a server announce our capabilities beside its own. One that is connected can announce nothing new, so it must have
 * done so already.
 *
 * @throws AdapterError `already_connected` when it has not.
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
    "already_connected",
    `the server is connected and does not announce ${names}: bind before it connects, or announce them where it is made`,
  )
}

/** Such as `tools` and `tools.listChanged`. */
function paths(capabilities: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.entries(capabilities).flatMap(([name, settings]) => [
    name,
    ...Object.entries(settings ?? {}).flatMap(([setting, value]) => (value === true ? [`${name}.${setting}`] : [])),
  ])
}

/** The notices of one server, for as long as it is ours. */
interface Notices {
  /** Says whose they are. */
  of(attached: Attached): void
  /**
   * Sends them from now on, once the client says that it is ready (2025-11-25, basic/lifecycle). One that said so before
   * is told that both lists are others now.
   */
  begin(): void
  /** Sends no more, after having told the same again. */
  end(): void
}

/** Where the notices of a server go. */
interface NoticesOptions {
  /** What is announced. */
  readonly capabilities: Capabilities
  /** Runs when there is nothing more to tell, or nobody to tell it to. */
  ended(): void
}

/** No notices yet. */
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
      // The SDK has no other way to say whether the client has been there.
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
    sent.catch((cause: unknown) => report({ code: "transport_failed", message: "a changed list was not told", cause }))
  }
  if (tools.listChanged) send(server.sendToolListChanged())
  if (resources?.listChanged) send(server.sendResourceListChanged())
}
