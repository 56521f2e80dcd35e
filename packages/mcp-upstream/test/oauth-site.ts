import { createHash } from "node:crypto"
import type { IncomingMessage, ServerResponse } from "node:http"
import { listen } from "./http-server.js"

/** A server with a tool that wants a token, and its own authorization server, which takes whoever comes for Ann. */
export async function serveOAuth() {
  const tokens = new Set<string>()
  const challenges = new Map<string, string>()
  let [clients, issued, refreshed] = [0, 0, 0]
  const issue = (): object => {
    issued += 1
    tokens.add(`token-${issued}`)
    return { access_token: `token-${issued}`, token_type: "Bearer", expires_in: 3600, refresh_token: "refresh-1" }
  }
  const token = (body: string): object | undefined => {
    const form = new URLSearchParams(body)
    if (form.get("grant_type") === "refresh_token") {
      refreshed += 1
      return form.get("refresh_token") === "refresh-1" ? issue() : undefined
    }
    const challenge = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url")
    return challenges.get(form.get("code") ?? "") === challenge ? issue() : undefined
  }
  const documentOf = (path: string, body: string, { origin }: URL): object | undefined => {
    switch (path) {
      case "/.well-known/oauth-protected-resource/mcp":
        return { resource: `${origin}/mcp`, authorization_servers: [origin] }
      case "/.well-known/oauth-authorization-server":
        return {
          issuer: origin,
          authorization_endpoint: `${origin}/authorize`,
          token_endpoint: `${origin}/token`,
          registration_endpoint: `${origin}/register`,
          response_types_supported: ["code"],
          code_challenge_methods_supported: ["S256"],
          token_endpoint_auth_methods_supported: ["none"],
        }
      case "/register":
        clients += 1
        return { ...JSON.parse(body), client_id: `client-${clients}` }
      case "/token":
        return token(body)
      default:
        return undefined
    }
  }
  const authorize = (response: ServerResponse, { searchParams }: URL): void => {
    const back = new URL(searchParams.get("redirect_uri") ?? "")
    const code = `code-${challenges.size + 1}`
    challenges.set(code, searchParams.get("code_challenge") ?? "")
    back.searchParams.set("code", code)
    back.searchParams.set("state", searchParams.get("state") ?? "")
    response.writeHead(302, { location: back.href }).end()
  }
  const answerMcp = (request: IncomingMessage, response: ServerResponse, body: string): unknown => {
    const isKnown = tokens.has((request.headers.authorization ?? "").replace("Bearer ", ""))
    if (!isKnown) return response.writeHead(401, { "www-authenticate": "Bearer" }).end()
    return answer(response, request.method === "POST" ? JSON.parse(body) : {})
  }
  const url = await listen((request, response, body) => {
    const at = new URL(request.url ?? "/", url)
    if (at.pathname === "/authorize") return authorize(response, at)
    if (at.pathname === "/mcp") return answerMcp(request, response, body)
    const document = documentOf(at.pathname, body, at)
    response.writeHead(document === undefined ? 404 : 200, { "content-type": "application/json" })
    return response.end(JSON.stringify(document ?? {}))
  })
  return { url, expire: () => tokens.clear(), refreshed: () => refreshed, clients: () => clients }
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
