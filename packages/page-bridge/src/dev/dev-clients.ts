import { randomBytes } from "node:crypto"
import type { IncomingMessage, ServerResponse } from "node:http"
import type { AgenticService } from "@x/agentic-service"
import { createLiveViewHandler } from "@x/live-view/node"
import { createMcpAdapter } from "@x/mcp-adapter"
import { createNodeHandler } from "@x/mcp-adapter/http"
import { createPageHost, type PageHost } from "../host.js"
import { isLocal } from "./admit-page.js"
import type { DevOptions } from "./dev-options.js"

/** Serves a development server's pages to MCP clients. */
export interface DevClients {
  /** Answers requests for MCP or the live view. Returns whether it did. */
  answers(request: IncomingMessage, response: ServerResponse): boolean
  /** Ends sessions and streams. */
  close(): void
}

/** The path on which clients connect. */
const MCP_PATH = "/__mcp"

/** The path of the live view. */
const LIVE_PATH = `${MCP_PATH}/live`

/** Serves a service at `/__mcp`: to this machine only, unless you allow other hosts in `allowedHosts`. */
export function createDevClients(
  service: AgenticService,
  { name = "app", app: _, liveView = true, ...options }: DevOptions,
): DevClients {
  const adapter = createMcpAdapter(service, { name })
  const handler = createNodeHandler(adapter, { ...options, path: MCP_PATH })
  const shown = liveView === true ? {} : liveView
  const live = shown === false ? undefined : createLiveViewHandler(adapter, { ...shown, path: LIVE_PATH })
  return {
    answers(request, response) {
      const url = urlOf(request)
      const [path = ""] = url.split("?", 1)
      const isLive = live !== undefined && (path === LIVE_PATH || path.startsWith(`${LIVE_PATH}/`))
      if (path !== MCP_PATH && !isLive) return false
      // Uses the client's path: frameworks strip the mount path.
      request.url = url
      if (isLive) void live.handle(request, response)
      else if (options.allowedHosts === undefined && !isLocal(request)) refuse(response)
      else void handler.handle(request, response)
      return true
    },
    close() {
      // Closing needs no waiting: the server is already closed, or closes next.
      void Promise.all([live?.close(), handler.close()]).then(() => adapter.close())
    },
  }
}

/** Returns the original URL, whatever frameworks have made of it. */
function urlOf(request: IncomingMessage): string {
  const original: unknown = Reflect.get(request, "originalUrl")
  return typeof original === "string" ? original : (request.url ?? "")
}

function refuse(response: ServerResponse): void {
  const error =
    "MCP is served to this machine only: to allow clients elsewhere, add the host name they use to `allowedHosts`"
  response.writeHead(403, { "content-type": "application/json" }).end(JSON.stringify({ error }))
}

/**
 * Answers requests for sign-in metadata with a 404, and returns whether it did. Clients look for an authorization server at the
 * root before they connect, and would fail on the HTML of an app that answers every path with its page.
 */
export function refusesSignIn(request: IncomingMessage, response: ServerResponse): boolean {
  if (!/^\/(__mcp\/)?\.well-known\/(oauth-|openid-configuration)/.test(urlOf(request))) return false
  response
    .writeHead(404, { "content-type": "application/json" })
    .end('{"error":"this server has no sign-in: connect without authorization"}')
  return true
}

/** A dev server's host of pages and clients, which survives restarts. */
export interface KeptHost extends Pick<DevClients, "answers"> {
  /** The host of pages. */
  readonly pages: PageHost
  /** The token that pages must know. The dev server's client script contains it. */
  readonly token: string
  /** Registers a server that uses it. Returns a function to release it; the last release closes it. */
  use(): () => void
}

/**
 * Returns the host of one project. A changed configuration creates another server and loads this module again. The host is kept
 * outside of both, so that clients keep their sessions.
 */
export function findKeptHost(root: string, options: DevOptions): KeptHost {
  const kept = keptHosts()
  const key = `${root}\n${JSON.stringify(options)}`
  const known = kept.get(key)
  if (known !== undefined) return known
  const made = createKeptHost(options, () => kept.delete(key))
  kept.set(key, made)
  return made
}

const KEPT = Symbol.for("@x/page-bridge/vite")

function keptHosts(): Map<string, KeptHost> {
  const kept: Map<string, KeptHost> = Reflect.get(globalThis, KEPT) ?? new Map<string, KeptHost>()
  Reflect.set(globalThis, KEPT, kept)
  return kept
}

function createKeptHost(options: DevOptions, gone: () => void): KeptHost {
  const { name, app } = options
  const pages = createPageHost({ ...(name !== undefined && { name }), ...(app !== undefined && { app }) })
  const clients = createDevClients(pages.service, options)
  let users = 0
  return {
    pages,
    token: randomBytes(32).toString("base64url"),
    answers: clients.answers,
    use() {
      users += 1
      let used = true
      return () => {
        if (!used) return
        used = false
        users -= 1
        if (users > 0) return
        gone()
        pages.close()
        clients.close()
      }
    },
  }
}
