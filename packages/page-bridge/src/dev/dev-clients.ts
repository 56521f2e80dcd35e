import { randomBytes } from "node:crypto"
import type { IncomingMessage, ServerResponse } from "node:http"
import type { AgenticService } from "@x/agentic-service"
import { createLiveViewHandler } from "@x/live-view/node"
import { createMcpAdapter } from "@x/mcp-adapter"
import { createNodeHandler } from "@x/mcp-adapter/http"
import { createPageHost, type PageHost } from "../host.js"
import { isLocal } from "./admit-page.js"
import type { DevOptions } from "./dev-options.js"

/** Serves the pages of a development server to MCP clients, beside the app. */
export interface DevClients {
  /** Answers what is for clients, and says whether it was. */
  answers(request: IncomingMessage, response: ServerResponse): boolean
  /** Ends sessions and streams. */
  close(): void
}

/** Where clients connect. */
const MCP_PATH = "/__mcp"

/** Where people look at what clients see. */
const LIVE_PATH = `${MCP_PATH}/live`

/** Serves a service at `/__mcp`: to this machine only, unless `allowedHosts` says how others reach it. */
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
      // The path as the client sees it: whoever mounts others cuts its own off.
      request.url = url
      if (isLive) live.handle(request, response)
      else if (options.allowedHosts === undefined && !isLocal(request)) refuse(response)
      else handler.handle(request, response)
      return true
    },
    close() {
      // Nothing waits for it: its server is closed already, or about to be.
      void Promise.all([live?.close(), handler.close()]).then(() => adapter.close())
    },
  }
}

/** What was asked for at first, whatever was made of it on the way. */
function urlOf(request: IncomingMessage): string {
  const original: unknown = Reflect.get(request, "originalUrl")
  return typeof original === "string" ? original : (request.url ?? "")
}

function refuse(response: ServerResponse): void {
  const error =
    "MCP is served to this machine only: to let others drive your page, name in `allowedHosts` how they reach it"
  response.writeHead(403, { "content-type": "application/json" }).end(JSON.stringify({ error }))
}

/**
 * Clients look for an authorization server at the root before they connect, and an app that answers whatever it is asked with its
 * page lets that die of the HTML. Answers that there is none, and says whether it was asked.
 */
export function refusesSignIn(request: IncomingMessage, response: ServerResponse): boolean {
  if (!/^\/(__mcp\/)?\.well-known\/(oauth-|openid-configuration)/.test(urlOf(request))) return false
  response.writeHead(404, { "content-type": "application/json" }).end('{"error":"there is no sign-in here"}')
  return true
}

/** What a dev server has of pages and clients, and keeps over its restarts. */
export interface KeptHost extends Pick<DevClients, "answers"> {
  /** Takes pages in. */
  readonly pages: PageHost
  /** What a page has to know: it is in the script that the dev server gives its pages. */
  readonly token: string
  /** Notes that a server uses it; the last one that stops closes it. */
  use(): () => void
}

/**
 * The host of one project. A changed configuration makes another server and loads this module again: what clients are connected to
 * is kept outside of both, so that their sessions go on.
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
