import { OAuthError, OAuthErrorCode, type OAuthTokenVerifier } from "@modelcontextprotocol/server"
import type { Principal } from "@x/agentic-service"
import { describe, expect, it, onTestFinished } from "vitest"
import { apiKeys, bearer, type HttpOptions, serveHttp } from "../src/border/http.js"
import { createMcpAdapter } from "../src/create-adapter.js"
import { logCalls } from "../src/operations/log-calls.js"
import type { McpAdapterOptions } from "../src/options.js"
import { createBoard } from "./support/board.mjs"

const resource = new URL("http://localhost/mcp")
const later = Math.floor(Date.now() / 1_000) + 3_600

/** Tokens by owner, some with a fault. */
const tokens = new Map([
  ["secret-ann", { sub: "ann", scopes: ["use"], expiresAt: later, resource }],
  ["secret-bob", { sub: "bob", scopes: ["use"], expiresAt: later, resource }],
  ["secret-expired", { sub: "ann", scopes: ["use"], expiresAt: 1, resource }],
  ["secret-elsewhere", { sub: "ann", scopes: ["use"], expiresAt: later, resource: new URL("http://localhost/other") }],
  ["secret-anywhere", { sub: "ann", scopes: ["use"], expiresAt: later }],
  ["secret-weak", { sub: "ann", scopes: [], expiresAt: later, resource }],
])

const verifier: OAuthTokenVerifier = {
  async verifyAccessToken(token) {
    const found = tokens.get(token)
    if (found === undefined) throw new OAuthError(OAuthErrorCode.InvalidToken, "no such token")
    const { sub, ...known } = found
    return { token, clientId: "client", extra: { sub }, ...known }
  },
}
const toPrincipal = ({ extra, scopes }: { extra?: Record<string, unknown>; scopes: string[] }): Principal => ({
  id: String(extra?.["sub"]),
  scopes,
})
const authenticate = bearer({
  verifier,
  resource,
  toPrincipal,
  requiredScopes: ["use"],
  authorizationServer: {
    issuer: "http://localhost/issuer",
    authorization_endpoint: "http://localhost/issuer/authorize",
    token_endpoint: "http://localhost/issuer/token",
    response_types_supported: ["code"],
  },
})

describe("bearer", () => {
  it.each([
    ["no token", undefined, 401, undefined],
    ["a token nobody knows", "Bearer secret-of-nobody", 401, "invalid_token"],
    ["an expired token", "Bearer secret-expired", 401, "invalid_token"],
    ["a token for another audience", "Bearer secret-elsewhere", 401, "invalid_token"],
    ["a token for no audience", "Bearer secret-anywhere", 401, "invalid_token"],
    ["a token of too few scopes", "Bearer secret-weak", 403, "insufficient_scope"],
    ["another scheme", "Basic secret-ann", 401, undefined],
  ])("refuses %s, and says where to get one", async (...[, authorization, status, error]) => {
    const { call } = await serve({ authenticate })

    const response = await call({ method: "tools/list" }, authorization === undefined ? {} : { authorization })

    expect(response.status).toBe(status)
    const challenge = response.headers.get("www-authenticate") ?? ""
    expect(challenge).toMatch(/^Bearer /)
    expect(/error="([^"]*)"/.exec(challenge)?.[1]).toBe(error)
    expect(challenge).toContain('resource_metadata="http://localhost/.well-known/oauth-protected-resource/mcp"')
    expect(challenge + (await response.text())).not.toContain("secret")
  })

  it("publishes which server issues tokens", async () => {
    const { url } = await serve({ authenticate })

    const response = await fetch(new URL("/.well-known/oauth-protected-resource/mcp", url))

    expect(await response.json()).toMatchObject({
      resource: "http://localhost/mcp",
      authorization_servers: ["http://localhost/issuer"],
      scopes_supported: ["use"],
    })
  })

  it("admits a valid token, and marks lists as private for caches", async () => {
    const { list } = await serve({ authenticate }, { allow: (principal) => principal?.id === "ann" })

    expect(await list("ann")).toMatchObject({ result: { cacheScope: "private" } })
    expect(await list("ann")).toMatchObject({
      result: { tools: expect.arrayContaining([expect.objectContaining({ name: "add" })]) },
    })
    expect(await list("bob")).not.toMatchObject({
      result: { tools: expect.arrayContaining([expect.objectContaining({ name: "add" })]) },
    })
  })

  it("reports a failing verifier to the operator, and answers 500 without its message", async () => {
    const broken = { verifyAccessToken: () => Promise.reject(new Error("the directory is down")) }
    const { call, diagnostics } = await serve({ authenticate: bearer({ verifier: broken, resource, toPrincipal }) })

    const response = await call({ method: "tools/list" }, { authorization: "Bearer secret-ann" })

    expect(response.status).toBe(500)
    expect(await response.text()).not.toContain("directory")
    expect(diagnostics).toMatchObject([{ code: "handler_failed", cause: { message: "the directory is down" } }])
  })

  it("writes no token into log lines", async () => {
    const { adapter, call } = await serve({ authenticate })
    const lines: unknown[] = []
    const write = (fields: object, message: string) => void lines.push({ ...fields, message })
    logCalls(adapter, { info: write, warn: write, error: write }, { arguments: true })

    for (const [name, who] of Object.entries({ add: "ann", refuse: "bob", get_state: "nobody" })) {
      await call(
        { method: "tools/call", params: { name } },
        { authorization: `Bearer secret-${who}`, "mcp-name": name },
      )
    }

    expect(lines).toMatchObject([
      { tool: "add", principal: "ann", outcome: "ok" },
      { tool: "refuse", principal: "bob", outcome: "empty" },
      { code: "auth_refused", message: expect.stringContaining("with 401") },
    ])
    expect(JSON.stringify(lines)).not.toContain("secret")
  })

  it("writes no token into events, results or errors", async () => {
    const { call, events } = await serve({ authenticate })
    const authorization = "Bearer secret-ann"
    const texts: string[] = []

    for (const name of ["add", "refuse", "nothing"]) {
      const params = { name, arguments: { extra: 1 } }
      texts.push(await (await call({ method: "tools/call", params }, { authorization, "mcp-name": name })).text())
    }

    expect(events.length).toBeGreaterThan(0)
    expect(JSON.stringify([texts, events])).not.toContain("secret")
  })
})

describe("authenticate", () => {
  it.each(["POST", "GET", "DELETE"])("hides a session from another principal's %s", async (method) => {
    const { url, open } = await serve({ authenticate })
    const session = await open("ann")

    const response = await fetch(url, {
      method,
      headers: { ...base, authorization: "Bearer secret-bob", "mcp-session-id": session },
      ...(method === "POST" && { body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" }) }),
    })

    expect(response.status).toBe(404)
  })

  it("rejects requests without a principal", async () => {
    // Untyped code may do so.
    const nothing = (() => undefined) as unknown as typeof authenticate
    const { call } = await serve({ authenticate: nothing })

    expect((await call({ method: "tools/list" })).status).toBe(500)
  })

  it("accepts API keys as well", async () => {
    const { call } = await serve({ authenticate: apiKeys(new Map([["secret-key", { id: "ann" }]])) })

    expect((await call({ method: "tools/list" })).status).toBe(401)
    expect((await call({ method: "tools/list" }, { "x-api-key": "secret-key" })).status).toBe(200)
  })
})

const base = { "content-type": "application/json", accept: "application/json, text/event-stream" }
const _meta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
}

/** Serves a board over HTTP, and returns the answers to modern requests. */
async function serve(options: HttpOptions, adapterOptions: McpAdapterOptions = {}) {
  const adapter = createMcpAdapter(createBoard().service, adapterOptions)
  const events: unknown[] = []
  const diagnostics: unknown[] = []
  adapter.events.subscribe((event) => {
    events.push(event)
    if (event.type === "diagnostic") diagnostics.push(event.diagnostic)
  })
  const server = await serveHttp(adapter, { port: 0, ...options })
  onTestFinished(() => server.close().finally(adapter.close))
  const post = (message: object, headers: Readonly<Record<string, string>>) =>
    fetch(server.url, { method: "POST", headers: { ...base, ...headers }, body: JSON.stringify(message) })
  const call = ({ method, params = {} }: { method: string; params?: object }, headers = {}) => {
    const all = { "mcp-protocol-version": "2026-07-28", "mcp-method": method, ...headers }
    return post({ jsonrpc: "2.0", id: 1, method, params: { ...params, _meta } }, all)
  }
  const list = async (who: string) => {
    const answer: unknown = await (
      await call({ method: "tools/list" }, { authorization: `Bearer secret-${who}` })
    ).json()
    return answer
  }
  const open = async (who: string) => {
    const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "0" } }
    const message = { jsonrpc: "2.0", id: 0, method: "initialize", params }
    return (await post(message, { authorization: `Bearer secret-${who}` })).headers.get("mcp-session-id") ?? ""
  }
  return { url: server.url, adapter, events, diagnostics, call, list, open }
}
