import type { AgenticService, Principal } from "@x/agentic-service"
import { sameValue } from "@x/base"
import type { AdapterSource, Handler, MethodExtension } from "@x/mcp-adapter"
import { principalKey } from "@x/mcp-adapter/binding"
import { defer, type Observable } from "rxjs"
import type { McpExtension } from "../mcp-extension.js"
import { UpstreamError } from "../upstream-error.js"
import { perCallerFaults } from "./caller-credentials.js"
import { type CallerView, createCallerView } from "./caller-view.js"
import type { GatewayConfig, GatewayServer } from "./gateway-config.js"
import type { ShownServer } from "./gateway-root.js"
import { createOwnServers, credentialed, type OwnServers, type OwnServersSite, type Servers } from "./own-servers.js"

/** The services of callers with connections of their own, one for each class of callers. */
export interface CallerServices {
  /** Returns a caller's service. Its own connections stay open while its links have a subscriber. */
  of(principal: Principal | undefined): AgenticService
  /** Returns a caller's extension while its connections are open. */
  extensionOf(principal: Principal | undefined): McpExtension | undefined
  /**
   * Returns a caller's own servers, connected while there is a subscriber; `undefined` if the caller has credentials for none.
   *
   * @param counts - Whether a server counts, by its name in the file.
   */
  ownOf(
    principal: Principal | undefined,
    counts: (server: string) => boolean,
  ): Observable<readonly ShownServer[]> | undefined
  /** Returns the adapter's source: a function of the caller if any server has `perCaller`, else the shared service. */
  source(): AdapterSource
  /** Returns the callers that can sign in. */
  known(): GatewayConfig["callers"]
  /**
   * Applies another configuration. Returns the names of the servers with `perCaller` that were added, removed or changed.
   *
   * @throws UpstreamError `invalid_option` for an invalid server, or for callers if the gateway started without any.
   */
  apply(config: GatewayConfig): readonly string[]
  /** Closes all connections. Settles once they are closed. */
  close(): Promise<void>
}

/** The parts that callers share, and the function that connects. */
export interface CallerSite extends OwnServersSite {
  /** The service of callers without connections of their own. */
  readonly shared: AgenticService
}

/** A caller's connections, and the shared service with them. */
interface Caller extends Pick<CallerView, "service" | "extension"> {
  readonly own: OwnServers
}

/** Creates the services of callers, without any connection. */
export function createCallerServices(site: CallerSite): CallerServices {
  const callers = new Map<string, Caller>()
  const closing = new Set<Promise<unknown>>()
  let config: GatewayConfig | undefined
  let servers: Servers = new Map()
  const note = (ended: Promise<unknown>): void => {
    const closed = ended.finally(() => closing.delete(closed))
    closing.add(closed)
  }
  const create = (key: string, principal: Principal): Caller => {
    const own = createOwnServers(principal, site, {
      servers: () => servers,
      isFull: () => [...callers.values()].filter((each) => each.own !== own && each.own.isOpen()).length >= site.max,
      note,
      left: () => callers.delete(key),
    })
    const parts = { own: own.shown, shape: ({ server }: ShownServer) => server, left: () => undefined }
    const caller = { own, ...createCallerView(site.shared, parts) }
    callers.set(key, caller)
    return caller
  }
  const callerOf = (principal: Principal): Caller => {
    const key = principalKey(principal)
    return callers.get(key) ?? create(key, principal)
  }
  const of = (principal: Principal | undefined): AgenticService =>
    principal === undefined ? site.shared : callerOf(principal).service
  return {
    of,
    extensionOf: (principal) =>
      principal === undefined ? undefined : callers.get(principalKey(principal))?.extension(),
    ownOf(principal, counts) {
      if (principal === undefined || ![...credentialed(servers, principal).keys()].some(counts)) return undefined
      return defer(() => callerOf(principal).own.shown)
    },
    source: () => (servers.size === 0 ? site.shared : (principal: Principal | undefined) => of(principal)),
    known: () => config?.callers,
    apply(next) {
      if (config !== undefined && config.callers === undefined && next.callers !== undefined)
        throw new UpstreamError(`"callers" needs a restart: this gateway started without them`, {
          code: "invalid_option",
        })
      const now = new Map(Object.entries(next.mcpServers).filter(([, server]) => isPerCaller(server)))
      for (const [name, server] of now) expectPerCaller(name, server)
      const names = [...new Set([...now.keys(), ...servers.keys()])]
      const changed = names.filter((name) => !sameValue(now.get(name), servers.get(name)))
      config = next
      servers = now
      for (const { own } of callers.values()) if (own.isOpen()) own.renew()
      return changed
    },
    async close() {
      servers = new Map()
      for (const { own } of [...callers.values()]) own.close()
      await Promise.all(closing)
    },
  }
}

function isPerCaller({ perCaller, disabled }: GatewayServer): boolean {
  return perCaller !== undefined && disabled !== true
}

function expectPerCaller(name: string, server: GatewayServer): void {
  const [fault] = perCallerFaults(server)
  if (fault !== undefined) throw new UpstreamError(`server "${name}": ${fault}`, { code: "invalid_option" })
}

/**
 * Creates an extension that answers each caller from their own service, or from the shared one. Notices and subscriptions to
 * resources beyond the states come from the shared one only, so that nobody learns of another caller's servers.
 */
export function createCallerExtension(
  shared: McpExtension,
  callers: Pick<CallerServices, "extensionOf">,
): McpExtension {
  const methods = Object.entries(shared.methods ?? {}).map(([method, extend]) => {
    const perCaller: MethodExtension = (own, site) => {
      const usual = extend(own, site)
      const handlers = new WeakMap<McpExtension, Handler>()
      return (params, context) => {
        const extension = callers.extensionOf(context.principal)
        if (extension === undefined) return usual(params, context)
        const handler = handlers.get(extension) ?? extension.methods?.[method]?.(own, site) ?? usual
        handlers.set(extension, handler)
        return handler(params, context)
      }
    }
    return [method, perCaller] as const
  })
  return { ...shared, methods: Object.fromEntries(methods) }
}
