import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { OptionRule } from "@x/base"
import { createDeferred, LOCAL_HOSTS, toMessage } from "@x/base"
import { AdapterError, checkOptions } from "../adapter-error.js"
import type { McpAdapter } from "../create-adapter.js"
import { runCallback } from "../runtime/callback.js"
import type { Report } from "../runtime/diagnostic.js"
import { type FetchOptions, fetchRules } from "./fetch.js"
import { pathOf, WELL_KNOWN } from "./http/exchange.js"
import { toBase } from "./http/mcp-site.js"
import { holdBack } from "./http/node-body.js"
import { createNodeHandler } from "./http/node-exchange.js"
import { createHealthRoutes, createServerCloser } from "./http/server-life.js"
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
  FetchContext,
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
export { createNodeHandler, type NodeHandle, type NodeHandler, toNodeHandler } from "./http/node-exchange.js"
export type { NodeContext, WrappedReply, WrappedRequest } from "./http/node-pair.js"

/** Options of {@link serveHttp}. */
export interface HttpOptions extends FetchOptions {
  /** The port. Default 3000; 0 picks a free one. */
  readonly port?: number
  /**
   * The address to listen on. Default `127.0.0.1`, reachable from this machine only. Other machines can reach any other
   * address, so require authentication and list the host names in `allowedHosts`.
   */
  readonly host?: string
  /** The endpoint's path, with linked services below it; other paths get a 404. Default `/mcp`. */
  readonly path?: string
  /**
   * How long a connection may be idle before it is closed, in milliseconds. It must be longer than the idle timeout of any
   * proxy in front, which otherwise answers with occasional 502s. Default 650,000, longer than the load balancers of the large
   * clouds.
   */
  readonly keepAliveMs?: number
  /**
   * Answers requests to all other paths, such as a web page served beside the endpoint. The endpoint's guards do not check
   * them. Default: a 404.
   */
  readonly otherwise?: (request: IncomingMessage, response: ServerResponse) => void
  /** Whether `/healthz` and `/readyz` are answered; their answers contain only the status. Default `true`. */
  readonly probes?: boolean
  /**
   * Whether the server owns the process. Then SIGTERM, SIGINT and SIGHUP close the server, a second signal exits at once, and
   * after closing, the adapter is closed and the process exits with code 0, even if something else keeps it alive. Default
   * `false`.
   */
  readonly exit?: boolean
  /**
   * Runs before the process exits, after the server and the adapter have closed, unless a second signal ends it. Its promise
   * delays the exit by at most 5,000 milliseconds. It should not reject. Used only with `exit`.
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
  /** The URL for clients, with the actual port. */
  readonly url: string
  /** Node's server, already listening, for settings without an option here, such as its timeouts. */
  readonly server: Server
  /**
   * Shuts down: answers new requests with 503, lets running calls finish for `drainMs`, then tells them to stop and answers
   * them, ends streams and sessions, gives answers a second to be sent, and closes every socket, including those you upgraded.
   * Idempotent.
   */
  close(): Promise<void>
  /** Resolves once the server has closed. */
  readonly closed: Promise<void>
}

/** Wraps the application's listener: a throw or rejection is reported and answered with 500 instead of ending the process. */
function toSureListener(listener: NonNullable<HttpOptions["otherwise"]>, report: Report): typeof listener {
  return (request, response) => {
    runCallback("otherwise", () => listener(request, response)).catch((cause: unknown) => {
      const message = `a request was not served: ${toMessage(cause)}`
      report({ code: "handler_failed", message, cause: Reflect.get(Object(cause), "cause") })
      if (response.headersSent) response.destroy()
      else response.writeHead(500, { "content-length": 0 }).end()
    })
  }
}

/**
 * Serves MCP over Streamable HTTP at one path, both eras. Resolves once the server listens. Rejects if it cannot listen, or
 * with `AdapterError` `invalid_option` for an unknown or invalid option.
 *
 * @example
 * ```ts
 * import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
 * import { action, createAgenticService } from "@x/agentic-service"
 * import { createMcpAdapter } from "@x/mcp-adapter"
 * import { serveHttp } from "@x/mcp-adapter/http"
 *
 * const greet = action({ description: "Greets", execute: () => ({ text: "hello" }) })
 * const adapter = createMcpAdapter(createAgenticService({ name: "door", actions: { greet } }))
 * const server = await serveHttp(adapter, { port: 0 }) // with `exit: true` it runs until Ctrl+C or SIGTERM
 * const client = new Client({ name: "example", version: "1" })
 * await client.connect(new StreamableHTTPClientTransport(new URL(server.url)))
 * console.log((await client.callTool({ name: "greet" })).content) // [ { type: 'text', text: '{"text":"hello"}' } ]
 * await client.close()
 * await server.close()
 * adapter.close()
 * ```
 */
export async function serveHttp(adapter: McpAdapter, options: HttpOptions = {}): Promise<HttpServer> {
  checkOptions(options, rules)
  const { port = 3000, host = "127.0.0.1", keepAliveMs, probes, otherwise, exit = false, onExit, ...served } = options
  const { path = "/mcp", allowedHosts = namesOf(host) } = served
  const handler = createNodeHandler(adapter, { ...served, path, allowedHosts })
  const isOurs = toIsOurs({ ...served, path })
  const notFound = (_: IncomingMessage, response: ServerResponse): void => {
    const text = `{"error":${JSON.stringify(`Not Found: the MCP endpoint is at "${path}"`)}}\n`
    response.writeHead(404, { "content-type": "application/json", "content-length": Buffer.byteLength(text) }).end(text)
  }
  const rest = otherwise === undefined ? notFound : toSureListener(otherwise, adapter.core.host.report)
  let closing: Promise<void> | undefined
  const probed = probes === false ? () => false : createHealthRoutes(adapter, () => closing !== undefined)
  const keepAliveTimeout = keepAliveMs ?? KEEP_ALIVE
  const server = createServer({ keepAliveTimeout }, (request, response) => {
    const asked = targetOf(request)
    if (isOurs(asked)) void handler.handle(request, response)
    else if (!probed(asked, response)) rest(request, response)
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

/** Returns the requested path; a request target may be an absolute URL (RFC 9112, 3.2.2). */
function targetOf({ url = "" }: IncomingMessage): string {
  return url.startsWith("/") ? (url.split("?")[0] ?? "") : pathOf({ url })
}

/** Returns whether a path belongs to the handler: the endpoint, linked services below it, and OAuth metadata. */
function toIsOurs({ path = "/mcp", links, authenticate }: FetchOptions): (asked: string) => boolean {
  const base = toBase(path)
  return (asked) =>
    asked === path ||
    toBase(asked) === base ||
    (authenticate !== undefined && asked.startsWith(WELL_KNOWN)) ||
    (links === "endpoints" && asked.startsWith(`${base}/links/`))
}

/** Milliseconds. Longer than 620 s, the longest idle timeout required by a large cloud. */
const KEEP_ALIVE = 650_000

/** How long answers may take to be sent during shutdown, in milliseconds. */
const GRACE = 1_000

const WILDCARDS = ["0.0.0.0", "::"]
/** Returns the default allowed hosts. A configured address is safe: no web page can make it up, unlike a DNS name. */
function namesOf(host: string): readonly string[] {
  return WILDCARDS.includes(host) || LOCAL_HOSTS.includes(inUrl(host)) ? LOCAL_HOSTS : [...LOCAL_HOSTS, inUrl(host)]
}

function inUrl(host: string): string {
  return host.includes(":") ? `[${host}]` : host
}

/**
 * Starts listening.
 *
 * @returns The actual port.
 */
function listen(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.on("error", (cause: NodeJS.ErrnoException) => {
      const inUse = cause.code === "EADDRINUSE"
      const problem = inUse ? 'is already in use: stop the other process, or set another "port"' : "cannot be opened"
      reject(new AdapterError(`port ${port} on "${host}" ${problem}`, { code: "listen_failed", cause }))
    })
    server.listen(port, host, () => {
      const address = server.address()
      resolve(typeof address === "object" && address !== null ? address.port : port)
    })
  })
}
