import type { IncomingMessage, ServerResponse } from "node:http"
import { findOptionFault, type OptionRule } from "@x/base"
import { isLocal } from "./dev/admit-page.js"
import { createDevClients, refusesSignIn } from "./dev/dev-clients.js"
import { type DevOptions, devRules } from "./dev/dev-options.js"
import { BridgeError } from "./host/bridge-error.js"
import { type AcceptedPages, acceptPages } from "./node.js"
import { claimUpgrades, type UpgradeListener, type UpgradeServer } from "./upgrades.js"

export type { DevOptions } from "./dev/dev-options.js"
export { BridgeError, type BridgeErrorCode } from "./host/bridge-error.js"

/** Options of the middleware for development servers. */
export interface PageMiddlewareOptions extends DevOptions {
  /** The path on which pages connect. Default `/mcp/pages`, the default of `connectPage(service)`. */
  readonly pagesPath?: string
}

/** Serves a development server's pages to MCP clients, on the server's own port. */
export interface PageMiddleware {
  /** Answers MCP clients at `/__mcp` and passes every other request on. Mount it before the app's routes. */
  (request: IncomingMessage, response: ServerResponse, next?: () => void): void
  /** Accepts pages that connect to this server. */
  attach(server: UpgradeServer): AcceptedPages
  /**
   * Says goodbye to pages and clients; idempotent. The server stays open. Call it before the server's own `close`, which waits
   * for the pages' sockets.
   */
  close(): void
}

const rules: Record<keyof PageMiddlewareOptions, OptionRule> = {
  ...devRules,
  pagesPath: "text",
}

/**
 * Does for any Node server in development (Express, Hono, Next or plain Node) what `pageBridge` does for Vite. Pages of the
 * server itself are admitted by their address, `Host` and origin. Only this machine may connect, clients and pages alike,
 * unless you allow other hosts in `allowedHosts`. In production use `acceptPages` with `authenticate`.
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
  const { pagesPath: path = "/mcp/pages", ...served } = options
  const { allowedHosts, allowedOrigins } = served
  const relay = createRelay(path)
  const pages = acceptPages(relay, {
    name: served.name ?? "app",
    ...(served.app !== undefined && { app: served.app }),
    // A browser on this machine that sends this server's own origin belongs to the developer. Programs on other machines can
    // forge any origin.
    authenticate: ({ request, origin }) =>
      origin === undefined || (allowedHosts === undefined && !isLocal(request)) ? undefined : DEVELOPER,
    ...(allowedOrigins && { allowedOrigins }),
    ...(allowedHosts && { allowedHosts }),
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

/** Forwards upgrades of servers that are attached later. */
interface Relay extends UpgradeServer {
  /** Adds a server. */
  add(server: UpgradeServer): void
}

/** Creates a relay for one path's upgrades. */
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
