import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { Socket } from "node:net"
import type { OptionRule } from "@x/tool-schemas/json"
import { AdapterError, checkOptions } from "../adapter-error.js"
import type { McpAdapter } from "../create-adapter.js"
import { type Clock, createDeferred, type Ledger, startTimer } from "../runtime/host.js"
import { type FetchOptions, fetchRules } from "./fetch.js"
import { pathOf } from "./http/exchange.js"
import { toBase } from "./http/mcp-site.js"
import { createNodeHandler, holdBack } from "./http/node-exchange.js"
import { createLeave, exitWith } from "./server/exit-with.js"

export type {
  Admission,
  AdmitOptions,
  Answer,
  AuthAnswer,
  Authenticate,
  BearerOptions,
  BodyLimits,
  EndpointOptions,
  EventStream,
  FetchHandler,
  FetchOptions,
  FindKey,
  GuardOptions,
  HttpEndpoint,
  HttpSite,
  ListenLimits,
  ReadBody,
  RequestExtra,
  RequestHead,
  RequestRate,
  SessionLimits,
  SiteOptions,
  TokenVerifier,
  VerifiedToken,
  Visitor,
} from "./fetch.js"
export { apiKeys, bearer, bearerToken, createHttpEndpoint, createHttpGate } from "./fetch.js"
export { createNodeHandler, type NodeHandler, toNodeHandler } from "./http/node-exchange.js"

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
  /**
   * How long a connection may be idle before it is closed, in milliseconds: longer than whatever stands in front keeps its own,
   * or it answers with 502 now and then. Default 650,000, which is longer than the balancers of the large clouds.
   */
  readonly keepAliveMs?: number
  /**
   * Answers requests to all other paths, such as those of a page that is served beside the endpoint. They pass none of the
   * endpoint's guards. Default: a 404.
   */
  readonly otherwise?: (request: IncomingMessage, response: ServerResponse) => void
  /** Whether `/healthz` and `/readyz` are answered, which say nothing but that. Default `true`. */
  readonly probes?: boolean
  /**
   * Whether the process is the server's own. Then SIGTERM, SIGINT and SIGHUP close the server, a second one exits at once, and when
   * it has closed the adapter is closed and the process exits with code 0, whatever else holds it. Default `false`.
   */
  readonly exit?: boolean
  /**
   * Runs before such a process exits, whatever the reason but a second signal, once the server has closed and the adapter
   * too; the exit waits for it, for 5,000 milliseconds at most. It should not reject.
   */
  readonly onExit?: () => void | Promise<void>
}

const rules: Record<keyof HttpOptions, OptionRule> = {
  ...fetchRules,
  port: { from: 0, to: 65_535, whole: true },
  host: "text",
  keepAliveMs: { from: 0 },
  otherwise: "function",
  probes: "flag",
  exit: "flag",
  onExit: "function",
}

/** A listening server. */
export interface HttpServer {
  /** Where clients connect, with the port that was taken. */
  readonly url: string
  /** Node's server, for what has no option here, such as its timeouts; it listens already. */
  readonly server: Server
  /**
   * Answers new requests with 503, lets calls finish for as long as `drainMs` says, tells the rest to stop, which are then
   * answered, ends streams and sessions, gives answers a second to get out, and closes every socket, those of upgrades of yours
   * included. Idempotent.
   */
  close(): Promise<void>
  /** Resolves once it has closed. */
  readonly closed: Promise<void>
}

/**
 * Serves MCP over Streamable HTTP at one path, both eras. Resolves once it listens; rejects when it cannot, or with
 * `AdapterError` `invalid_option` for an option that there is not, or that cannot be.
 */
export async function serveHttp(adapter: McpAdapter, options: HttpOptions = {}): Promise<HttpServer> {
  checkOptions(options, rules)
  const { port = 3000, host = "127.0.0.1", keepAliveMs, probes, otherwise, exit = false, onExit, ...served } = options
  const { path = "/mcp", allowedHosts = namesOf(host) } = served
  const handler = createNodeHandler(adapter, { ...served, path, allowedHosts })
  const isOurs = toIsOurs({ ...served, path })
  const notFound = (_: IncomingMessage, response: ServerResponse): void => {
    const text = `{"error":${JSON.stringify(`nothing is served here: MCP is at "${path}"`)}}\n`
    response.writeHead(404, { "content-type": "application/json", "content-length": Buffer.byteLength(text) }).end(text)
  }
  let closing: Promise<void> | undefined
  const probed = probes === false ? () => false : createHealthRoutes(adapter, () => closing !== undefined)
  const keepAliveTimeout = keepAliveMs ?? KEEP_ALIVE
  const server = createServer({ keepAliveTimeout }, (request, response) => {
    const asked = targetOf(request)
    if (isOurs(asked)) handler.handle(request, response)
    else if (!probed(asked, response)) (otherwise ?? notFound)(request, response)
  })
  server.on("checkContinue", (request, response) => {
    holdBack(request)
    server.emit("request", request, response)
  })
  const closer = createServerCloser(server, { ledger: adapter.ledger, clock: adapter.core.host.clock })
  const taken = await listen(server, port, host)
  const closed = createDeferred()
  const listening: HttpServer = {
    url: `http://${WILDCARDS.includes(host) ? "localhost" : inUrl(host)}:${taken}${path}`,
    server,
    close() {
      closing ??= handler
        .close()
        .then(() => closer.close(GRACE))
        .then(() => closed.resolve())
      return closing
    },
    closed: closed.promise,
  }
  if (exit) exitWith(listening, createLeave(adapter, onExit))
  return listening
}

/** The path that is asked for; a target may be a whole URL (RFC 9112, 3.2.2). */
function targetOf({ url = "" }: IncomingMessage): string {
  return url.startsWith("/") ? (url.split("?")[0] ?? "") : pathOf({ url })
}

/** Whether a path is for the handler: the endpoint, those of links below it, and what `authenticate` is asked for. */
function toIsOurs({ path = "/mcp", links, authenticate }: FetchOptions): (asked: string) => boolean {
  const base = toBase(path)
  return (asked) =>
    asked === path ||
    toBase(asked) === base ||
    (authenticate !== undefined && asked.startsWith(WELL_KNOWN)) ||
    (links === "endpoints" && asked.startsWith(`${base}/links/`))
}

/** Where clients look for what a refused request needs (RFC 9728, RFC 8414). */
const WELL_KNOWN = "/.well-known/"

/** Longer than 620 s, which is what one of the large clouds wants. */
const KEEP_ALIVE = 650_000

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
  // Those of WebSockets and the like are no connections of HTTP any more, and would keep the server from closing.
  const sockets = new Set<Socket>()
  server.on("connection", (socket) => {
    sockets.add(socket)
    socket.once("close", () => sockets.delete(socket))
  })
  const out = createDeferred()
  let closing = false
  const look = (): void => {
    if (closing && writing === 0) out.resolve()
  }
  server.on("request", (_request, response) => {
    writing += 1
    response.once("close", () => {
      writing -= 1
      look()
    })
  })
  return {
    async close(grace) {
      const closed = new Promise((resolve) => server.close(resolve))
      closing = true
      const cancel = startTimer(host, grace, out.resolve)
      look()
      await out.promise
      cancel()
      server.closeAllConnections()
      for (const socket of sockets) socket.destroy()
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
    void view.ready().then(() => {
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
