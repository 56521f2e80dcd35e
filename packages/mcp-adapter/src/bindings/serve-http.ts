import { createServer } from "node:http"
import type { McpAdapter } from "../create-adapter.js"
import { createServerCloser } from "./close-server.js"
import type { FetchOptions } from "./fetch.js"
import { listen } from "./listen.js"
import { createNodeHandler } from "./node-handler.js"
import { toBase } from "./to-link-path.js"

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
}

/** A listening server. */
export interface HttpServer {
  /** Where clients connect, with the port that was taken. */
  readonly url: string
  /** Stops listening, ends streams and sessions, gives answers a second to get out, and closes every socket. Idempotent. */
  close(): Promise<void>
}

/** Serves MCP over Streamable HTTP at one path, both eras. Resolves once it listens; rejects when it cannot. */
export async function serveHttp(adapter: McpAdapter, options: HttpOptions = {}): Promise<HttpServer> {
  const { port = 3000, host = "127.0.0.1", path = "/mcp" } = options
  const handler = createNodeHandler(adapter, { allowedHosts: namesOf(host), ...options })
  const server = createServer((request, response) => {
    const asked = request.url?.split("?")[0] ?? ""
    if (
      asked === path ||
      isDiscovery(asked, options) ||
      (options.links === "endpoints" && asked.startsWith(`${toBase(path)}/links/`))
    )
      handler.handle(request, response)
    else response.writeHead(404).end()
  })
  const closer = createServerCloser(server, { ledger: adapter.ledger, clock: adapter.core.clock })
  const taken = await listen(server, port, host)
  let closing: Promise<void> | undefined
  return {
    url: `http://${WILDCARDS.includes(host) ? "localhost" : inUrl(host)}:${taken}${path}`,
    close() {
      closing ??= handler.close().then(() => closer.close(GRACE))
      return closing
    },
  }
}

/** Where clients look for what a refused request needs (RFC 9728, RFC 8414); `authenticate` answers. */
function isDiscovery(asked: string, { authenticate }: HttpOptions): boolean {
  return authenticate !== undefined && asked.startsWith("/.well-known/oauth-")
}

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
