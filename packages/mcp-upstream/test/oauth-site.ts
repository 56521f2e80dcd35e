import { createHash } from "node:crypto"
import type { IncomingMessage, ServerResponse } from "node:http"
import { listen } from "./http-server.js"

/** The authorization rules of a test site. */
export interface SiteRules {
  /** Whether `initialize` needs no token. Default `false`. */
  readonly openHandshake?: boolean
  /** The scope that a request requires. Default: none. */
  readonly wants?: (method: string) => string | undefined
  /** Selects the scopes to grant. Default: all requested ones. */
  readonly grants?: (asked: readonly string[]) => readonly string[]
  /** Whether tokens can be refreshed. Default `true`. */
  readonly refreshes?: boolean
  /** Returns the authorization server that the server names. Default: its own origin. */
  readonly names?: () => string
  /** The secret of each client that obtains tokens for itself. Default: none. */
  readonly secrets?: Readonly<Record<string, string>>
}

/** Starts a server whose tool requires a token, with an authorization server that signs everybody in as Ann. */
export async function serveOAuth(rules: SiteRules = {}) {
  const { openHandshake = false, wants = () => undefined, names } = rules
  const grants = createGrants(rules)
  let clients = 0
  const documentOf = ({ origin, pathname }: URL, body: string, authorization = ""): object | undefined => {
    switch (pathname) {
      case "/.well-known/oauth-protected-resource/mcp":
        return { resource: `${origin}/mcp`, authorization_servers: [names?.() ?? origin] }
      case "/.well-known/oauth-authorization-server":
        return describeServer(origin)
      case "/register":
        clients += 1
        return { ...JSON.parse(body), client_id: `client-${clients}` }
      case "/token":
        return grants.token(new URLSearchParams(body), authorization)
      default:
        return undefined
    }
  }
  const answerMcp = (request: IncomingMessage, response: ServerResponse, body: string): unknown => {
    const message = request.method === "POST" ? JSON.parse(body) : {}
    if (openHandshake && (message.method === "initialize" || message.id === undefined)) return answer(response, message)
    const scopes = grants.scopesOf((request.headers.authorization ?? "").replace("Bearer ", ""))
    if (scopes === undefined) return response.writeHead(401, { "www-authenticate": 'Bearer scope="base"' }).end()
    const scope = wants(message.method)
    if (scope === undefined || scopes.includes(scope)) return answer(response, message)
    const challenge = `Bearer error="insufficient_scope", scope="${scope}"`
    return response.writeHead(403, { "www-authenticate": challenge }).end()
  }
  const url = await listen((request, response, body) => {
    const at = new URL(request.url ?? "/", url)
    if (at.pathname === "/authorize") return response.writeHead(302, { location: grants.authorize(at) }).end()
    if (at.pathname === "/mcp") return answerMcp(request, response, body)
    const document = documentOf(at, body, request.headers.authorization)
    response.writeHead(document === undefined ? 404 : "error" in document ? 401 : 200, {
      "content-type": "application/json",
    })
    return response.end(JSON.stringify(document ?? {}))
  })
  return { ...grants, url, clients: () => clients }
}

function describeServer(origin: string): object {
  return {
    issuer: origin,
    authorization_response_iss_parameter_supported: true,
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
    registration_endpoint: `${origin}/register`,
    response_types_supported: ["code"],
    code_challenge_methods_supported: ["S256"],
    token_endpoint_auth_methods_supported: ["none", "client_secret_basic"],
  }
}

function createGrants({ grants = (asked) => asked, refreshes = true, secrets = {} }: SiteRules) {
  const tokens = new Map<string, readonly string[]>()
  const challenges = new Map<string, string>()
  const asked: string[] = []
  let [issued, refreshed] = [0, 0]
  const issue = (): object => {
    issued += 1
    tokens.set(`token-${issued}`, grants((asked.at(-1) ?? "").split(" ")))
    const refresh = refreshes ? { refresh_token: "refresh-1" } : {}
    return { access_token: `token-${issued}`, token_type: "Bearer", expires_in: 3600, ...refresh }
  }
  const forClient = (form: URLSearchParams, authorization: string): object => {
    const [id = "", secret = ""] = Buffer.from(authorization.replace("Basic ", ""), "base64").toString().split(":")
    if (secrets[id] !== secret) return { error: "invalid_client" }
    asked.push(form.get("scope") ?? "")
    return issue()
  }
  return {
    scopesOf: (token: string) => tokens.get(token),
    token(form: URLSearchParams, authorization: string): object | undefined {
      if (form.get("grant_type") === "client_credentials") return forClient(form, authorization)
      if (form.get("grant_type") === "refresh_token") {
        refreshed += 1
        return form.get("refresh_token") === "refresh-1" ? issue() : undefined
      }
      const challenge = createHash("sha256")
        .update(form.get("code_verifier") ?? "")
        .digest("base64url")
      return challenges.get(form.get("code") ?? "") === challenge ? issue() : undefined
    },
    authorize({ searchParams, origin }: URL): string {
      const back = new URL(searchParams.get("redirect_uri") ?? "")
      const code = `code-${challenges.size + 1}`
      asked.push(searchParams.get("scope") ?? "")
      challenges.set(code, searchParams.get("code_challenge") ?? "")
      back.searchParams.set("code", code)
      back.searchParams.set("state", searchParams.get("state") ?? "")
      back.searchParams.set("iss", origin)
      return back.href
    },
    expire: () => tokens.clear(),
    refreshed: () => refreshed,
    /** The scopes requested by each opened page, and by each client for itself. */
    asked: (): readonly string[] => asked,
  }
}

function answer(response: ServerResponse, { id, method }: { id?: unknown; method?: string }): unknown {
  if (method === undefined) return response.writeHead(405).end()
  if (id === undefined) return response.writeHead(202).end()
  const results: Readonly<Record<string, object>> = {
    initialize: {
      protocolVersion: "2025-11-25",
      capabilities: { tools: {} },
      serverInfo: { name: "site", version: "1" },
    },
    "tools/list": { tools: [{ name: "whoami", inputSchema: { type: "object" } }] },
    "tools/call": { content: [{ type: "text", text: "ann" }] },
  }
  const result = results[method]
  const body = result === undefined ? { error: { code: -32601, message: "no" } } : { result }
  response.setHeader("content-type", "application/json")
  return response.end(JSON.stringify({ jsonrpc: "2.0", id, ...body }))
}
