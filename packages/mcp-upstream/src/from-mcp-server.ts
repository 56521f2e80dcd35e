import {
  type AuthProvider,
  type Client,
  type OAuthClientProvider,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Transport,
} from "@modelcontextprotocol/client"
import { textToBase64 } from "@x/base"
import { createUpstream } from "./create-upstream.js"
import { type Dial, statusOf } from "./life/session.js"
import { guardSignIn } from "./trust/guard-sign-in.js"
import { decodeLeniently, secretsOfUrl } from "./trust/redact.js"
import type { Upstream, UpstreamOptions } from "./upstream.js"
import { UpstreamError } from "./upstream-error.js"

/** A server reached over HTTP. */
export interface UrlServer {
  /** Its MCP endpoint. Messages and logs leave out the credentials, the query and any long path segment. */
  readonly url: string
  /** Headers sent with every request. Their values never appear in messages or logs. */
  readonly headers?: Readonly<Record<string, string>>
  /** Signs in: a token provider, or the SDK's OAuth provider. */
  readonly auth?: AuthProvider | OAuthClientProvider
  /** The transport. Default: Streamable HTTP, or SSE if the server refuses it. */
  readonly type?: "http" | "sse"
  /** Sends the requests. Default: the host's `fetch`. */
  readonly fetch?: typeof fetch
}

/** A server reached over a transport of the SDK. */
export interface TransportServer {
  /** Creates the transport of each attempt to connect. */
  readonly transport: () => Transport | Promise<Transport>
}

/**
 * Creates a service from a server. It connects at the first subscription or call and reconnects by itself. While the server is
 * unavailable, calls fail with the reason.
 *
 * @throws UpstreamError `invalid_option` if the server's options are invalid.
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
 * Rejects unknown members of a server, such as the option `onChange`, which would have no effect here.
 *
 * @throws UpstreamError `invalid_option`.
 */
export function checkServer(server: object, known: readonly string[]): void {
  const found = Object.keys(server).find((key) => !known.includes(key))
  if (found === undefined) return
  const expected = known.map((key) => `"${key}"`).join(", ")
  throw new UpstreamError(
    `a server has no "${found}": expected ${expected}; options are the second argument of fromMcpServer`,
    { code: "invalid_option" },
  )
}

/** Returns a URL's name and password as an `Authorization` header, since `fetch` rejects URLs that contain them. */
function credentialsOf({ username, password }: URL): Readonly<Record<string, string>> {
  if (username === "" && password === "") return {}
  return { authorization: `Basic ${textToBase64(`${decodeLeniently(username)}:${decodeLeniently(password)}`)}` }
}

function toDial(
  { auth, type = "http", fetch }: UrlServer,
  { url, headers }: { readonly url: URL; readonly headers: Readonly<Record<string, string>> },
): Dial {
  const at = new URL(url)
  at.username = ""
  at.password = ""
  const signIn = isSignIn(auth) ? guardSignIn(auth, fetch ?? globalThis.fetch) : undefined
  const authProvider = signIn?.provider ?? auth
  const send = signIn?.send ?? fetch
  const rest = {
    requestInit: { headers: { ...headers } },
    ...(authProvider !== undefined && { authProvider }),
    ...(send !== undefined && { fetch: send }),
  }
  // The transport that opened the sign-in page knows its scope and the metadata of its authorization server.
  let last: SSEClientTransport | StreamableHTTPClientTransport | undefined
  const sse = (): Transport => {
    last = new SSEClientTransport(at, rest)
    return last
  }
  const open = (): Transport => {
    if (type === "sse") return sse()
    last = new StreamableHTTPClientTransport(at, rest)
    return last
  }
  return {
    label: at.origin,
    child: false,
    open,
    ...(signIn && {
      signIn: {
        finish: (callback) => (last ?? new StreamableHTTPClientTransport(at, rest)).finishAuth(callback),
        renew: signIn.renew,
      },
    }),
    // Such a response may come from a server older than Streamable HTTP (2025-11-25, basic/transports, backwards
    // compatibility).
    fallback: (cause) => (type === "http" && isOld(cause) ? sse() : undefined),
  }
}

/** Whether the provider runs an OAuth flow; others only supply tokens. */
function isSignIn(auth: UrlServer["auth"]): auth is OAuthClientProvider {
  return auth !== undefined && "tokens" in auth && "clientInformation" in auth
}

function isOld(cause: unknown): boolean {
  const status = statusOf(cause) ?? statusOf(cause instanceof Error ? cause.cause : undefined)
  return status !== undefined && [400, 404, 405].includes(status)
}

function toUrl(url: string): URL {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  if (parsed !== undefined && /^https?:$/.test(parsed.protocol)) return parsed
  throw new UpstreamError('the option "url" is not a URL: expected an http or https URL', { code: "invalid_option" })
}

/**
 * Creates a service from a connected client of the SDK. Closing the service leaves the client open. When the client's
 * connection ends, the members disappear and calls fail with the reason. The service replaces the client's notification
 * handlers, and questions reach a person in the modern era only; {@link fromMcpServer} has no such limits.
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
