import { OAuthError, OAuthErrorCode } from "@modelcontextprotocol/server"
import { describe, expect, it } from "vitest"
import { type BearerOptions, bearer, type VerifiedToken } from "../src/border/http.js"
import { createMcpAdapter } from "../src/create-adapter.js"
import { createBoard } from "./support/board.mjs"
import { createClock } from "./support/lab.mjs"
import { type Message, readAnswer, readMessages, serveWire } from "./support/wire.js"

const issuer = "https://login.example"
const resource = new URL("http://localhost/mcp")

const call = (name: string, args: object = {}): Message => ({
  id: 1,
  method: "tools/call",
  params: { name, arguments: args },
})

describe("the OAuth metadata for clients", () => {
  it("names the issuer of tokens to any caller, from the issuer's URL alone", async () => {
    const { url } = await serveTokens({ resourceName: "The board", scopesSupported: ["use", "delete"] })
    const document = await fetch(new URL("/.well-known/oauth-protected-resource/mcp", url), {
      headers: { origin: "https://any.example" },
    })

    expect([document.status, document.headers.get("access-control-allow-origin")]).toEqual([200, "*"])
    expect(document.headers.get("cache-control")).toMatch(/^public, max-age=\d+$/)
    expect(await document.json()).toEqual({
      resource: "http://localhost/mcp",
      authorization_servers: [issuer],
      bearer_methods_supported: ["header"],
      scopes_supported: ["use", "delete"],
      resource_name: "The board",
    })
  })

  it("is readable by pages of any origin", async () => {
    const { url } = await serveTokens()
    const preflight = await fetch(new URL("/.well-known/oauth-protected-resource/mcp", url), {
      method: "OPTIONS",
      headers: { origin: "https://any.example", "access-control-request-headers": "mcp-protocol-version" },
    })

    expect([preflight.status, preflight.headers.get("access-control-allow-origin")]).toEqual([204, "*"])
    expect(preflight.headers.get("access-control-allow-headers")).toBe("*")
  })

  it.each([
    "/.well-known/oauth-protected-resource",
    "/.well-known/oauth-protected-resource/other",
    "/.well-known/openid-configuration",
    "/.well-known/oauth-authorization-server/mcp",
  ])("is nothing at %s, which is no question of tokens", async (path) => {
    const { url } = await serveTokens()

    const response = await fetch(new URL(path, url))

    expect([response.status, response.headers.has("www-authenticate")]).toEqual([404, false])
  })

  it.each([
    ["no credentials", {}, 401, undefined],
    ["a token that is over", { authorization: "Bearer over" }, 401, "invalid_token"],
    ["a token for others", { authorization: "Bearer elsewhere" }, 401, "invalid_token"],
    ["a token of too few scopes", { authorization: "Bearer weak" }, 403, "insufficient_scope"],
  ])("is named in the refusal of %s, with the scopes", async (...[, headers, status, error]) => {
    const { modern } = await serveTokens()

    const response = await modern({ method: "tools/list" }, { headers })

    const challenge = response.headers.get("www-authenticate") ?? ""
    expect(response.status).toBe(status)
    expect(/ error="([^"]*)"/.exec(challenge)?.[1]).toBe(error)
    expect(challenge).toContain('scope="use"')
    expect(challenge).toContain('resource_metadata="http://localhost/.well-known/oauth-protected-resource/mcp"')
  })

  it("admits a token for several audiences, one of them this endpoint", async () => {
    const { modern } = await serveTokens()

    expect((await modern({ method: "tools/list" }, { headers: { authorization: "Bearer several" } })).status).toBe(200)
  })
})

describe("an action that requires further scopes", () => {
  const headers = { authorization: "Bearer ann" }

  it.each([
    ["by its name", call("start")],
    ["through run_action", call("run_action", { name: "start" })],
  ])("is a 403 that names all that would be enough, and does not run, %s", async (_, message) => {
    const { modern, adapter, open } = await serveTokens()
    const { send } = await open(headers)

    for (const response of [await modern(message, { headers }), await send(message, { headers })]) {
      expect(response.status).toBe(403)
      expect(response.headers.get("www-authenticate")).toMatch(/error="insufficient_scope".* scope="use delete"/)
    }
    expect((await adapter.list({ principal: { id: "ann" } })).tools.map(({ name }) => name)).not.toContain("undo")
  })

  it("runs for callers that hold them, even in a session opened with fewer", async () => {
    const { modern, open } = await serveTokens()
    const { send } = await open(headers)
    const more = { headers: { authorization: "Bearer ann-more" } }

    expect(await readAnswer(send(call("start"), more))).toMatchObject({ status: 200, result: { content: [{}, {}] } })
    expect(await readAnswer(modern(call("undo"), more))).toMatchObject({ status: 200, result: { content: [{}, {}] } })
  })

  it("leaves all other actions to callers with fewer", async () => {
    const { modern } = await serveTokens()

    expect(await readAnswer(modern(call("add"), { headers }))).toMatchObject({ status: 200 })
    expect(await readAnswer(modern(call("nothing"), { headers }))).toMatchObject({ error: { code: -32602 } })
  })

  it("fails with a code when the client cannot get more scopes", async () => {
    const adapter = createMcpAdapter(createBoard().service, { scopes: takesDelete })

    const answers = await Promise.all(
      [undefined, { id: "ann", scopes: ["use"] }, { id: "ann", scopes: ["delete"] }].map((principal) =>
        adapter.call("start", {}, principal && { principal }),
      ),
    )
    adapter.close()

    const failure = { outcome: { ok: false, code: "insufficient_scope", message: expect.stringContaining('"delete"') } }
    expect(answers).toMatchObject([failure, failure, { outcome: { ok: true } }])
  })
})

describe("a stream", () => {
  it.each(["legacy", "modern"] as const)("of a %s client ends when its token does", async (era) => {
    const { listen, clock, adapter } = await serveTokens()
    const stream = await listen(era)

    clock.advance(3_599_000)
    expect(adapter.ledger.counts().stream).toBe(1)
    clock.advance(2_000)

    await stream.over
    expect(adapter.ledger.counts().stream).toBe(0)
  })

  it.each(["legacy", "modern"] as const)("of a %s client ends when its token is revoked", async (era) => {
    const { listen, clock, revoke, adapter } = await serveTokens({ recheck: true })
    const stream = await listen(era)

    revoke()
    for (let passed = 0; passed < 80; passed += 1) clock.advance(1_000)

    await stream.over
    expect(adapter.ledger.counts().stream).toBe(0)
  })
})

const takesDelete = ({ key }: { readonly key: string }) => (key === "start" || key === "undo" ? ["delete"] : [])

/** Serves a board that accepts tokens; Ann's are valid for an hour. */
async function serveTokens(options: Partial<BearerOptions> = {}) {
  const clock = createClock()
  // Rounded up: a token whose hour had begun ended too soon for a test that counts its seconds.
  const hour = Math.ceil(Date.now() / 1_000) + 3_600
  const good = { scopes: ["use"], expiresAt: hour, resource }
  const tokens = new Map<string, Partial<VerifiedToken>>([
    ["ann", good],
    ["ann-more", { ...good, scopes: ["use", "delete"] }],
    ["weak", { ...good, scopes: [] }],
    ["over", { ...good, expiresAt: 1 }],
    ["elsewhere", { ...good, resource: new URL("http://localhost/other") }],
    ["several", { scopes: ["use"], expiresAt: hour, audience: ["https://other.example/", "http://localhost/mcp/"] }],
  ])
  const authenticate = bearer({
    verifier: {
      async verifyAccessToken(token) {
        const known = tokens.get(token)
        if (known === undefined) throw new OAuthError(OAuthErrorCode.InvalidToken, "no such token")
        return { token, clientId: "client", scopes: [], ...known }
      },
    },
    resource,
    issuer,
    requiredScopes: ["use"],
    toPrincipal: ({ scopes }) => ({ id: "ann", scopes }),
    ...options,
  })
  const wire = await serveWire({ authenticate }, { scopes: takesDelete, clock })
  const headers = { authorization: "Bearer ann" }
  const listen = async (era: "legacy" | "modern") => {
    const response = era === "modern" ? await listenModern() : await listenLegacy()
    const messages = readMessages(response)
    if (era === "modern") await messages.next()
    return { over: drain(messages) }
  }
  const listenModern = () =>
    wire.modern({ method: "subscriptions/listen", params: { notifications: { toolsListChanged: true } } }, { headers })
  const listenLegacy = async () => {
    const session = await wire.open("2025-11-25", {}, headers)
    return fetch(wire.url, { headers: { ...session.headers, ...headers, accept: "text/event-stream" } })
  }
  return {
    ...wire,
    open: (more: Readonly<Record<string, string>>) => wire.open("2025-11-25", {}, more),
    listen,
    clock,
    revoke: () => void tokens.delete("ann"),
  }
}

async function drain(messages: AsyncIterable<Message>): Promise<void> {
  for await (const _ of messages);
}
