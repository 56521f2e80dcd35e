import type { AgenticService, Principal } from "@x/agentic-service"
import { sameValue } from "@x/base"
import type { AdapterSource, McpAdapterOptions } from "@x/mcp-adapter"
import { BehaviorSubject, type Observable, Subject } from "rxjs"
import { type McpExtension, mcpExtension } from "../mcp-extension.js"
import type { Upstream, UpstreamEvent, UpstreamStatus } from "../upstream.js"
import { UpstreamError } from "../upstream-error.js"
import { createCallerExtension, createCallerServices } from "./caller-services.js"
import { copyConfig } from "./copy-config.js"
import type { GatewayConfig, GatewayServer } from "./gateway-config.js"
import { createRoot, type ShownServer } from "./gateway-root.js"
import { withKnownClients } from "./known-clients.js"
import { createRunningProfiles } from "./running-profiles.js"
import { createRefused, type ServerHealth, toHealth, toStanding } from "./server-health.js"
import { type StartOptions, startServer } from "./start-server.js"

/** A service that combines many servers. */
export interface Gateway {
  /** The combined service, with a link for each server by name. The root has the members of the server without a prefix. */
  readonly service: AgenticService
  /**
   * Returns one caller's service: the shared servers, and those with `perCaller` over connections of its own. These close once
   * the service has no user.
   */
  serviceOf(principal: Principal | undefined): AgenticService
  /**
   * Returns the adapter's source: {@link Gateway.serviceOf} if the configuration has a server with `perCaller`, else {@link
   * Gateway.service}.
   */
  source(): AdapterSource
  /** Returns the newest configuration's callers. */
  callers(): GatewayConfig["callers"]
  /** Forwards prompts, templates and messages; pass it as `extension` when serving. */
  readonly extension: McpExtension
  /** The options for its adapter: the length of names, profiles, and schemas for known clients. */
  readonly adapterOptions: Pick<McpAdapterOptions, "publish" | "profiles">
  /** Events of its servers. Hot; completes on close. */
  readonly events: Observable<GatewayEvent>
  /** Returns its current servers, by name. */
  servers(): ReadonlyMap<string, Upstream>
  /** Returns the state of each server, including those with faulty entries, but not of servers with `perCaller` that are running. */
  health(): readonly ServerHealth[]
  /**
   * Applies another configuration. Unchanged servers stay connected, removed ones are closed, changed ones restart; no client
   * session ends. `name`, `exposure`, `states` and `nameLength` stay as first configured.
   *
   * @returns The names of the servers that were added, removed or restarted.
   */
  apply(config: GatewayConfig): readonly string[]
  /** Closes every server. Settles once all are closed. Idempotent. */
  close(): Promise<void>
}

/** An event of a gateway's server. */
export interface GatewayEvent {
  /** The server's name. */
  readonly server: string
  /** The id of the connection's caller; absent if all callers share it. */
  readonly caller?: string
  /** The server's event. */
  readonly event: UpstreamEvent
}

/** Options of a gateway beyond its configuration. */
export interface GatewayOptions extends StartOptions {
  /** The most callers with connections of their own; further callers get the shared servers. Default 100. */
  readonly maxCallers?: number
}

interface Running {
  readonly server: GatewayServer
  readonly upstream: Upstream
  readonly status: UpstreamStatus
}

/**
 * Creates one service from many servers, which start at the first subscription.
 *
 * @throws UpstreamError `invalid_option` if a server's options are invalid. `parseGatewayConfig` finds such faults beforehand.
 * @example
 * ```ts
 * import { createMcpAdapter } from "@x/mcp-adapter"
 * import { serveHttp } from "@x/mcp-adapter/http"
 * import { createGateway } from "@x/mcp-upstream/node"
 *
 * const gateway = createGateway({ mcpServers: { docs: { url: "http://127.0.0.1:9/mcp" } } })
 * const adapter = createMcpAdapter(gateway.service, gateway.adapterOptions)
 * const server = await serveHttp(adapter, { port: 0, exposure: "meta", extension: gateway.extension })
 *
 * await server.close()
 * adapter.close()
 * await gateway.close()
 * ```
 */
export function createGateway(config: GatewayConfig, options: GatewayOptions = {}): Gateway {
  const { name = "gateway", description, nameLength = 48 } = config
  const events = new Subject<GatewayEvent>()
  const running = new Map<string, Running>()
  const shown = new BehaviorSubject<readonly ShownServer[]>([])
  const closing = new Set<Promise<void>>()
  const refused = createRefused()
  let closed = false

  const stop = (key: string): void => {
    const ended = running.get(key)?.upstream.close()
    running.delete(key)
    if (ended !== undefined) closing.add(ended.finally(() => closing.delete(ended)))
  }
  const begin = (key: string, server: GatewayServer, upstream: Upstream): void => {
    running.set(key, { server, upstream, status: { state: "idle" } })
    upstream.events.subscribe((event) => {
      const now = running.get(key)
      if (event.type === "status" && now?.upstream === upstream) {
        running.set(key, { ...now, status: event.status })
        tellServers()
      }
      events.next({ server: key, event })
    })
  }
  const tellServers = (): void => shown.next([...refused.shown(), ...[...running].map(toShown)])
  const apply = (given: GatewayConfig): readonly string[] => {
    if (closed) throw new UpstreamError("the gateway is closed", { code: "closed" })
    const config = copyConfig(given)
    const { gone, come } = toChange(config, running)
    // First, because an invalid server must not leave the others half changed.
    const made = come.map(([key, server]) => [key, server, startServer(key, server, options)] as const)
    for (const key of gone) stop(key)
    for (const each of made) begin(...each)
    refused.apply(config.refused)
    tellServers()
    const ofCallers = callers.apply(config)
    profiles.apply(config.profiles, ofCallers.length > 0)
    return [...new Set([...gone, ...come.map(([key]) => key), ...ofCallers])]
  }
  const service = createRoot({ name, description, shown, shape: ({ server }) => server })
  const callers = createCallerServices({
    shared: service,
    max: options.maxCallers ?? 100,
    start: (key, server) => startServer(key, server, {}),
    emit: (event) => events.next(event),
  })
  const profiles = createRunningProfiles({ name, description, shown }, callers)
  apply(config)
  const extension = profiles.extend(createCallerExtension(mcpExtension(service), callers))
  return {
    service,
    serviceOf: callers.of,
    source: callers.source,
    callers: callers.known,
    extension,
    adapterOptions: { publish: toPublish(nameLength), profiles: withKnownClients(profiles.chosen) },
    events: events.asObservable(),
    servers: () => new Map([...running].map(([key, { upstream }]) => [key, upstream])),
    health: () => [...[...running].map(([key, { status }]) => toHealth(key, status)), ...refused.health()],
    apply,
    async close() {
      closed = true
      extension.close()
      profiles.close()
      for (const key of [...running.keys()]) stop(key)
      await Promise.all([...closing, callers.close()])
      service.close()
      events.complete()
    },
  }
}

/** Returns the shared servers to stop and to start for a configuration. */
function toChange({ mcpServers }: GatewayConfig, running: ReadonlyMap<string, Running>) {
  const all = Object.entries(mcpServers).filter(([, { disabled }]) => disabled !== true)
  const wanted = new Map(all.filter(([, { perCaller }]) => perCaller === undefined))
  const gone = [...running].filter(([key, { server }]) => !sameValue(wanted.get(key), server)).map(([key]) => key)
  return { gone, come: [...wanted].filter(([key]) => !running.has(key) || gone.includes(key)) }
}

/** How long names were before there was a length of the gateway's own. */
const FORMER_LENGTH = 40

function toPublish(maxLength: number): McpAdapterOptions["publish"] & object {
  return { names: { maxLength, formerMaxLength: FORMER_LENGTH } }
}

function toShown([key, { server, upstream, status }]: readonly [string, Running]): ShownServer {
  const about = [server.description, toStanding(status)].filter((part) => part !== undefined).join("; ")
  const prefix = server.prefix === false ? undefined : (server.as ?? key)
  return { key, prefix, server: upstream, description: about === "" ? undefined : about }
}
