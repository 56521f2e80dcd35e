import {
  type AuthProvider,
  type Client,
  type OAuthClientProvider,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Transport,
} from "@modelcontextprotocol/client"
import { createUpstream } from "./create-upstream.js"
import { type Dial, statusOf } from "./life/session.js"
import { decodeLeniently, secretsOfUrl } from "./trust/redact.js"
import type { Upstream, UpstreamOptions } from "./upstream.js"
import { UpstreamError } from "./upstream-error.js"

/** A server that is reached over HTTP. */
export interface UrlServer {
  /** Where it is: its MCP endpoint. What of it lets its holder in is never told: a name and password, the query, a long part of the path. */
  readonly url: string
  /** Headers of every request. What they hold is never told. */
  readonly headers?: Readonly<Record<string, string>>
  /** Signs in: tokens, or the SDK's OAuth. */
  readonly auth?: AuthProvider | OAuthClientProvider
  /** How it is spoken to. Default: Streamable HTTP, and where that is refused the older SSE. */
  readonly type?: "http" | "sse"
  /** Sends the requests. Default: the host's `fetch`. */
  readonly fetch?: typeof fetch
}

/** A server that is reached over a transport of the SDK's kind. */
export interface TransportServer {
  /** Makes a transport; each attempt to connect has one of its own. */
  readonly transport: () => Transport | Promise<Transport>
}

/**
 * Makes a service of a server. It connects once somebody looks, stays connected, and comes back by itself; while the server is
 * away, calls say why.
 *
 * @throws UpstreamError `invalid_option` for a server that cannot be.
 * @example
 * ```ts
 * import { createMcpAdapter } from "@x/mcp-adapter"
 * import { fromMcpServer } from "@x/mcp-upstream"
 *
 * const docs = fromMcpServer({ url: "http://127.0.0.1:9/mcp" }, { name: "docs", limits: { retryMs: 60_000 } })
 * const adapter = createMcpAdapter(docs)
 * console.log((await adapter.list()).tools.length) // 0
 * adapter.close()
 * await docs.close()
 * ```
 */
export function fromMcpServer(server: UrlServer | TransportServer, options: UpstreamOptions = {}): Upstream {
  checkServer(server, "transport" in server ? ["transport"] : URL_SERVER)
  if ("transport" in server)
    return createUpstream({ to: { label: "unnamed", child: false, open: server.transport } }, options)
  const url = toUrl(server.url)
  const headers = { ...credentialsOf(url), ...server.headers }
  const secrets = [...Object.values(headers), ...secretsOfUrl(url)]
  return createUpstream({ to: toDial(server, { url, headers }), secrets }, options)
}

const URL_SERVER: readonly string[] = ["url", "headers", "auth", "type", "fetch"]

/**
 * Refuses members that a server does not have: an option that is given here, such as `onChange`, would not hold.
 *
 * @throws UpstreamError `invalid_option`.
 */
export function checkServer(server: object, known: readonly string[]): void {
  const found = Object.keys(server).find((key) => !known.includes(key))
  if (found === undefined) return
  const expected = known.map((key) => `"${key}"`).join(", ")
  throw new UpstreamError(
    "invalid_option",
    `a server has no "${found}": expected ${expected}; options are the second argument of fromMcpServer`,
  )
}

/** A name and password in a URL, as the header they stand for: `fetch` takes no URL that has them. */
function credentialsOf({ username, password }: URL): Readonly<Record<string, string>> {
  if (username === "" && password === "") return {}
  const bytes = new TextEncoder().encode(`${decodeLeniently(username)}:${decodeLeniently(password)}`)
  return { authorization: `Basic ${btoa(String.fromCharCode(...bytes))}` }
}

function toDial(
  { auth, type = "http", fetch }: UrlServer,
  { url, headers }: { readonly url: URL; readonly headers: Readonly<Record<string, string>> },
): Dial {
  const at = new URL(url)
  at.username = ""
  at.password = ""
  const rest = {
    requestInit: { headers: { ...headers } },
    ...(auth !== undefined && { authProvider: auth }),
    ...(fetch !== undefined && { fetch }),
  }
  const sse = (): Transport => new SSEClientTransport(at, rest)
  return {
    label: at.origin,
    child: false,
    open: () => (type === "sse" ? sse() : new StreamableHTTPClientTransport(at, rest)),
    // What answers so may be a server from before there was Streamable HTTP (2025-11-25, basic/transports, backwards compatibility).
    fallback: (cause) => (type === "http" && isOld(cause) ? sse() : undefined),
  }
}

function isOld(cause: unknown): boolean {
  const status = statusOf(cause) ?? statusOf(cause instanceof Error ? cause.cause : undefined)
  return status !== undefined && [400, 404, 405].includes(status)
}

function toUrl(url: string): URL {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  if (parsed !== undefined && /^https?:$/.test(parsed.protocol)) return parsed
  throw new UpstreamError("invalid_option", 'the option "url" is no URL: expected one of http or https')
}

/**
 * Makes a service of what a client of the SDK is connected to. The client stays yours: closing the service does not close it,
 * and when its connection ends the members are gone, with the reason. Its notification handlers are taken over, and
 * questions reach a person in the modern era only; {@link fromMcpServer} does all of that by itself.
 *
 * @example
 * ```ts
 * import { Client, InMemoryTransport } from "@modelcontextprotocol/client"
 * import { McpServer } from "@modelcontextprotocol/server"
 * import { fromMcpClient } from "@x/mcp-upstream"
 * import { firstValueFrom } from "rxjs"
 *
 * const [near, far] = InMemoryTransport.createLinkedPair()
 * const server = new McpServer({ name: "clock", version: "1.0.0" })
 * server.registerTool("now", { description: "Says the time" }, () => ({ content: [{ type: "text", text: "noon" }] }))
 * await server.connect(far)
 * const client = new Client({ name: "app", version: "1.0.0" })
 * await client.connect(near)
 *
 * const clock = fromMcpClient(client)
 * await firstValueFrom(clock.actions)
 * console.log(await clock.execute("now", {})) // { ok: true, verbatim: true, content: [ { type: 'text', text: 'noon' } ] }
 * await clock.close()
 * ```
 */
export function fromMcpClient(client: Client, options: UpstreamOptions = {}): Upstream {
  return createUpstream({ to: client }, options)
}
