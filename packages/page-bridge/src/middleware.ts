import type { IncomingMessage, ServerResponse } from "node:http"
import { findOptionFault, type OptionRule } from "@x/tool-schemas/json"
import { isLocal } from "./dev/admit-page.js"
import { createDevClients, refusesSignIn } from "./dev/dev-clients.js"
import { type DevOptions, devRules } from "./dev/dev-options.js"
import { BridgeError } from "./host/bridge-error.js"
import { type AcceptedPages, type AcceptOptions, acceptPages } from "./node.js"
import { claimUpgrades, type UpgradeListener, type UpgradeServer } from "./upgrades.js"

export type { DevOptions } from "./dev/dev-options.js"
export { BridgeError, type BridgeErrorCode } from "./host/bridge-error.js"

/** How the pages of a development server are served. */
export interface PageMiddlewareOptions extends DevOptions, Pick<AcceptOptions, "origins" | "hosts"> {
  /** Where pages connect. Default `/mcp/pages`, which is where `connectPage(service)` looks. */
  readonly pagesPath?: string
}

/** Serves the pages of a development server to MCP clients, on its own port. */
export interface PageMiddleware {
  /** Answers what is for clients, at `/__mcp`, and hands everything else on; goes before what answers anything. */
  (request: IncomingMessage, response: ServerResponse, next?: () => void): void
  /** Takes in the pages that connect to this server. */
  attach(server: UpgradeServer): AcceptedPages
  /**
   * Says goodbye to pages and clients; idempotent. The server goes on. Call it before the server's own `close`, which waits for
   * the sockets of pages.
   */
  close(): void
}

const rules: Record<keyof PageMiddlewareOptions, OptionRule> = {
  ...devRules,
  origins: "any",
  hosts: "any",
  pagesPath: "text",
}

/**
 * What `pageBridge` is for Vite, for any server on Node in development: Express, Hono, Next, or none. Pages of the server itself are let in by
 * their address, `Host` and origin. Only this machine may connect, clients and pages alike, unless `allowedHosts`, or `hosts` for
 * pages, says how others reach it. In production use `acceptPages` with `authenticate`.
 *
 * @throws BridgeError `invalid_option`.
 * @example
 * ```ts
 * import { createServer } from "node:http"
 * import { pageMiddleware } from "@x/page-bridge/middleware"
 *
 * const bridge = pageMiddleware()
 * const server = createServer((request, response) => bridge(request, response, () => response.end("the app")))
 * bridge.attach(server)
 * bridge.close()
 * ```
 */
export function pageMiddleware(options: PageMiddlewareOptions = {}): PageMiddleware {
  const fault = findOptionFault(options, rules)
  if (fault !== undefined) throw new BridgeError(fault, { code: "invalid_option" })
  const { origins, hosts, pagesPath: path = "/mcp/pages", ...served } = options
  const isOpen = hosts !== undefined || served.allowedHosts !== undefined
  const relay = createRelay(path)
  const pages = acceptPages(relay, {
    name: served.name ?? "app",
    ...(served.app !== undefined && { app: served.app }),
    // Whose browser is on this machine and names the origin of this very server is the one who develops it. Programs elsewhere
    // can name any.
    authenticate: ({ request, origin }) =>
      origin === undefined || (!isOpen && !isLocal(request)) ? undefined : DEVELOPER,
    ...(origins && { origins }),
    ...(hosts && { hosts }),
    path,
  })
  const clients = createDevClients(pages.of(DEVELOPER), served)
  const handle = (request: IncomingMessage, response: ServerResponse, next?: () => void): void => {
    if (clients.answers(request, response) || refusesSignIn(request, response)) return
    if (next === undefined) response.writeHead(404).end()
    else next()
  }
  return Object.assign(handle, {
    attach(server: UpgradeServer) {
      relay.add(server)
      return pages
    },
    close() {
      pages.close()
      clients.close()
    },
  })
}

const DEVELOPER = { id: "developer" }

/** Stands for servers that come later. */
interface Relay extends UpgradeServer {
  /** From now on this one too. */
  add(server: UpgradeServer): void
}

/** Only one path is heard of there. */
function createRelay(path: string): Relay {
  const servers = new Set<UpgradeServer>()
  const heard = new Map<UpgradeListener, (() => void)[]>()
  return {
    add(server) {
      if (servers.has(server)) return
      servers.add(server)
      for (const [listener, releases] of heard) releases.push(claimUpgrades(server, path, listener))
    },
    on(_event, listener) {
      heard.set(
        listener,
        [...servers].map((server) => claimUpgrades(server, path, listener)),
      )
    },
    off(_event, listener) {
      for (const release of heard.get(listener) ?? []) release()
      heard.delete(listener)
    },
  }
}
