import { createServer, type Server, type ServerResponse } from "node:http"
import { AdapterError } from "../../adapter-error.js"
import type { McpAdapter } from "../../create-adapter.js"
import { type Clock, type Ledger, startTimer } from "../../runtime/host.js"
import type { FetchOptions } from "../fetch.js"
import { createLeave, exitWith } from "../server/exit-with.js"
import { toBase } from "./http-exchange.js"
import { createNodeHandler } from "./node-handler.js"

/** How {@link serveHttp} serves. */
export interface HttpOptions extends FetchOptions {
  /** Default 3000; 0 takes any free one. */
  readonly port?: number
  /**
   * The address to listen on. Default `127.0.0.1`: only this machine. Anything else is reachable by others, so put
   * authentication in front, and name the hosts in `allowedHosts`.
   */
  readonly host?: string
  /** Where the endpoint is, and those of `links` below it; everything else is a 404. Default `/mcp`. */
  readonly path?: string
  /** Whether `/healthz` and `/readyz` are answered, which say nothing but that. Default `true`. */
  readonly probes?: boolean
  /**
   * Whether the process is the server's own. Then SIGTERM and SIGINT close the server, a second one exits at once, and when
   * it has closed the adapter is closed and the process exits with code 0, whatever else holds it. Default `false`.
   */
  readonly exit?: boolean
  /**
   * Runs before such a process exits, whatever the reason but a second signal, once the server has closed and the adapter
   * too; the exit waits for it, for 5,000 milliseconds at most. It should not reject.
   */
  readonly onExit?: () => void | Promise<void>
}

/** A listening server. */
export interface HttpServer {
  /** Where clients connect, with the port that was taken. */
  readonly url: string
  /**
   * Answers new requests with 503, lets calls finish for as long as `drain` says, stops listening, ends streams and
   * sessions, gives answers a second to get out, and closes every socket. Idempotent.
   */
  close(): Promise<void>
  /** Resolves once it has closed. */
  readonly closed: Promise<void>
}

/** Serves MCP over Streamable HTTP at one path, both eras. Resolves once it listens; rejects when it cannot. */
export async function serveHttp(adapter: McpAdapter, options: HttpOptions = {}): Promise<HttpServer> {
  const { port = 3000, host = "127.0.0.1", path = "/mcp", exit = false } = options
  const handler = createNodeHandler(adapter, { allowedHosts: namesOf(host), ...options })
  const isOurs = toIsOurs({ ...options, path })
  let closing: Promise<void> | undefined
  const probed = options.probes === false ? () => false : createHealthRoutes(adapter, () => closing !== undefined)
  const server = createServer((request, response) => {
    const asked = request.url?.split("?")[0] ?? ""
    if (isOurs(asked)) handler.handle(request, response)
    else if (!probed(asked, response)) response.writeHead(404).end()
  })
  const closer = createServerCloser(server, { ledger: adapter.ledger, clock: adapter.core.host.clock })
  const taken = await listen(server, port, host)
  let over = (): void => {}
  const closed = new Promise<void>((resolve) => {
    over = resolve
  })
  const served: HttpServer = {
    url: `http://${WILDCARDS.includes(host) ? "localhost" : inUrl(host)}:${taken}${path}`,
    close() {
      closing ??= handler
        .close()
        .then(() => closer.close(GRACE))
        .then(over)
      return closing
    },
    closed,
  }
  if (exit) exitWith(served, createLeave(adapter, options.onExit))
  return served
}

/** Whether a path is for the handler: the endpoint, those of links below it, and what `authenticate` is asked for. */
function toIsOurs({ path = "/mcp", links, authenticate }: HttpOptions): (asked: string) => boolean {
  return (asked) =>
    asked === path ||
    (authenticate !== undefined && asked.startsWith(DISCOVERY)) ||
    (links === "endpoints" && asked.startsWith(`${toBase(path)}/links/`))
}

/** Where clients look for what a refused request needs (RFC 9728, RFC 8414). */
const DISCOVERY = "/.well-known/oauth-"

/** How long answers may take to get out while the server closes, in milliseconds. */
const GRACE = 1_000

const WILDCARDS = ["0.0.0.0", "::"]
const LOCAL = ["localhost", "127.0.0.1", "[::1]"]

/** An address that was chosen cannot be a name that a web page made up, so it is as good as the local ones. */
function namesOf(host: string): string[] {
  return WILDCARDS.includes(host) || LOCAL.includes(inUrl(host)) ? LOCAL : [...LOCAL, inUrl(host)]
}

function inUrl(host: string): string {
  return host.includes(":") ? `[${host}]` : host
}

/** How {@link createServerCloser} closes. */
interface ServerCloser {
  /** Stops listening, waits until the answers that are on their way are out or `grace` milliseconds are over, and closes every socket. */
  close(grace: number): Promise<void>
}

/** Closes a Node server without cutting off answers; made before the first request, because it counts them. */
function createServerCloser(server: Server, host: { readonly ledger: Ledger; readonly clock: Clock }): ServerCloser {
  let writing = 0
  let allOut = () => {}
  server.on("request", (_request, response) => {
    writing += 1
    response.once("close", () => {
      writing -= 1
      if (writing === 0) allOut()
    })
  })
  return {
    async close(grace) {
      const closed = new Promise<void>((resolve) => {
        server.close(() => resolve())
      })
      await new Promise<void>((resolve) => {
        if (writing === 0) return resolve()
        const cancel = startTimer(host, grace, resolve)
        allOut = () => {
          cancel()
          resolve()
        }
      })
      server.closeAllConnections()
      await closed
    },
  }
}

/**
 * Lets a server listen.
 *
 * @returns The port that was taken.
 */
function listen(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.on("error", (cause: NodeJS.ErrnoException) => {
      const inUse = cause.code === "EADDRINUSE"
      const problem = inUse
        ? 'is in use: close what uses it, or choose another with the option "port"'
        : "cannot be opened"
      reject(new AdapterError("listen_failed", `port ${port} on "${host}" ${problem}`, { cause }))
    })
    server.listen(port, host, () => {
      const address = server.address()
      resolve(typeof address === "object" && address !== null ? address.port : port)
    })
  })
}

/** Answers a probe of a process manager; `false` where the path is none of its own. */
type HealthRoutes = (path: string, response: ServerResponse) => boolean

/**
 * `/healthz` is 200 as long as the process answers. `/readyz` is 200 once there is a first list, and 503 before and from
 * the moment the server begins to close, so that a load balancer looks elsewhere. They say nothing else, so they ask
 * nobody who they are, and a probe may come by address.
 *
 * @param closing - Whether the server has begun to close.
 */
function createHealthRoutes(adapter: McpAdapter, closing: () => boolean): HealthRoutes {
  // Where each principal has a service of its own, none is there before its first request.
  let ready = !adapter.core.shared
  if (!ready) {
    const { view, release } = adapter.core.open(undefined)
    void view.ready.then(() => {
      ready = true
      release()
    })
  }
  return (path, response) => {
    if (path === "/healthz") answer(response, 200, "ok")
    else if (path !== "/readyz") return false
    else if (ready && !closing()) answer(response, 200, "ready")
    else answer(response, 503, "not ready")
    return true
  }
}

function answer(response: ServerResponse, status: number, word: string): void {
  response.writeHead(status, { "content-type": "application/json", "cache-control": "no-store" })
  response.end(`${JSON.stringify({ status: word })}\n`)
}
