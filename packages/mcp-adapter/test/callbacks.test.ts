import { InvalidTokenError as InvalidTokenV1 } from "@modelcontextprotocol/sdk/server/auth/errors.js"
import { OAuthError, OAuthErrorCode } from "@modelcontextprotocol/server"
import { action, createAgenticService } from "@x/agentic-service"
import { jwtVerify, SignJWT } from "jose"
import jsonwebtoken from "jsonwebtoken"
import { describe, expect, it, onTestFinished } from "vitest"
import { apiKeys, type BearerOptions, bearer, bearerToken, type HttpOptions, serveHttp } from "../src/border/http.js"
import { connectInMemory } from "../src/border/in-memory.js"
import { type AdapterSource, createMcpAdapter } from "../src/create-adapter.js"
import type { McpAdapterOptions } from "../src/options.js"
import { createBoard } from "./support/board.mjs"
import { createLine } from "./support/line.js"
import { createWire, introduce, readAnswer } from "./support/wire.js"

const later = Math.floor(Date.now() / 1_000) + 3_600
const resource = new URL("http://localhost/mcp")
const good = { token: "t", clientId: "c", scopes: ["read"], expiresAt: later, resource }
const key = new TextEncoder().encode("a-secret-of-thirty-two-characters")

// Untyped code may give anything: each `as never` represents such code.
const bearerOf = (verify: (token: string) => unknown, rest: Partial<BearerOptions> = {}) =>
  bearer({
    verifier: { verifyAccessToken: async (token) => verify(token) as never },
    resource,
    toPrincipal: ({ scopes }) => ({ id: "ann", scopes }),
    requiredScopes: ["read"],
    ...rest,
  })

describe("the result of a verifier", () => {
  it("admits a list of scopes that contains the required ones", async () => {
    const { call } = await serve({ authenticate: bearerOf(() => good) })

    expect((await call()).status).toBe(200)
  })

  it.each([
    ["scopes as they stand in a token", { ...good, scopes: "unread spread" }, '"scopes" that are "unread spread"'],
    ["one scope as text", { ...good, scopes: "read" }, '"scopes" that are "read"'],
    ["scopes in one item", { ...good, scopes: ["read write"] }, "one scope in each item"],
    ["scopes as a set", { ...good, scopes: new Set(["read"]) }, '"scopes" that are an object'],
    ["an end in milliseconds", { ...good, expiresAt: Date.now() + 1_000 }, "expected seconds since 1970"],
    ["an end as a date", { ...good, expiresAt: new Date(later * 1_000) }, "expected seconds since 1970"],
    ["an end as text", { ...good, expiresAt: String(later) }, "expected seconds since 1970"],
    ["an end that never comes", { ...good, expiresAt: Number.POSITIVE_INFINITY }, "expected seconds since 1970"],
    ["a token's payload as it stands", { exp: later, sub: "ann", aud: resource.href }, '"exp" and no "expiresAt"'],
    [
      "an audience that is none",
      { ...good, resource: undefined, audience: { url: resource } },
      "an audience that is an object",
    ],
    ["a text", "ann", '"ann": expected an object that describes the token'],
    ["a yes", true, "true: expected an object that describes the token"],
  ])("is refused where it is %s, with a sentence for the operator", async (...[, known, words]) => {
    const { call, told } = await serve({ authenticate: bearerOf(() => known) })

    expect((await call()).status).toBe(500)
    expect(told()).toMatchObject([{ code: "handler_failed", message: expect.stringContaining(words) }])
    expect(told()[0]?.message).toContain('"verifier.verifyAccessToken" returned')
  })

  it.each([
    ["no scopes", { ...good, scopes: undefined }, 403],
    ["nothing", undefined, 401],
    ["null", null, 401],
    ["no end", { ...good, expiresAt: undefined }, 401],
  ])("that is %s lets nobody in", async (...[, known, status]) => {
    const { call } = await serve({ authenticate: bearerOf(() => known) })

    expect((await call()).status).toBe(status)
  })

  it("may name its audience as text", async () => {
    const { call } = await serve({ authenticate: bearerOf(() => ({ ...good, resource: resource.href })) })

    expect((await call()).status).toBe(200)
  })
})

describe("an error of a verifier", () => {
  const signed = (claims: object, expires: number) =>
    new SignJWT({ ...claims }).setProtectedHeader({ alg: "HS256" }).setExpirationTime(expires).sign(key)
  const byJose = bearerOf(async (token) => {
    const { payload } = await jwtVerify(token, key, { audience: "mcp" })
    return { ...good, expiresAt: payload.exp }
  })
  const byJsonwebtoken = bearerOf((token) => {
    jsonwebtoken.verify(token, Buffer.from(key), { audience: "mcp" })
    return good
  })
  const tokens: readonly (readonly [string, () => Promise<string> | string])[] = [
    ["is over", () => signed({ aud: "mcp" }, 1)],
    ["is for others", () => signed({ aud: "else" }, later)],
    ["is signed by others", () => jsonwebtoken.sign({ aud: "mcp", exp: later }, "another-secret-of-many-characters")],
    ["is no token", () => "nonsense"],
    ["is signed by nobody", () => `${btoa('{"alg":"none"}').replace(/=+$/, "")}.e30.`],
  ]

  it.each(
    tokens.flatMap(
      ([what, make]) =>
        [
          ["jose", what, byJose, make],
          ["jsonwebtoken", what, byJsonwebtoken, make],
        ] as const,
    ),
  )("by %s for a token that %s is a 401 with a challenge", async (...[, , authenticate, make]) => {
    const { call, told } = await serve({ authenticate })

    const response = await call({ authorization: `Bearer ${await make()}` })

    expect([response.status, response.headers.get("www-authenticate")]).toEqual([
      401,
      expect.stringContaining('error="invalid_token"'),
    ])
    expect(told()).toMatchObject([{ code: "auth_refused" }])
  })

  it.each([
    ["an OAuth error", () => new OAuthError(OAuthErrorCode.InvalidToken, "gone – für immer"), 401],
    ["an OAuth error of too little", () => new OAuthError(OAuthErrorCode.InsufficientScope, "ask for more"), 403],
    ["an OAuth error of SDK v1", () => new InvalidTokenV1("gone"), 401],
    ["an error of another copy of the SDK", () => Object.assign(new Error("gone"), { code: "invalid_token" }), 401],
    ["an error with the status 401", () => Object.assign(new Error("no"), { status: 401 }), 401],
    ["an error with the status code 403", () => Object.assign(new Error("no"), { statusCode: 403 }), 403],
    ["a response", () => new Response(null, { status: 401 }), 401],
    ["a class of one's own", () => new (class UnauthorizedError extends Error {})("no"), 401],
    ["fast-jwt's", () => Object.assign(new Error("no"), { code: "FAST_JWT_EXPIRED" }), 401],
    ["Firebase's", () => Object.assign(new Error("no"), { code: "auth/id-token-expired" }), 401],
  ])("that is %s is answered as it says", async (...[, make, status]) => {
    const { call } = await serve({ authenticate: bearerOf(() => Promise.reject(make())) })

    expect((await call()).status).toBe(status)
  })

  it.each([
    ["a plain error", () => new Error("the directory is down")],
    ["a text", () => "the directory is down"],
    ["nothing", () => undefined],
    ["jose's of keys that cannot be fetched", () => Object.assign(new Error("no"), { code: "ERR_JWKS_TIMEOUT" })],
    [
      "jsonwebtoken's of a key that is missing",
      () => new jsonwebtoken.JsonWebTokenError("secret or public key must be provided"),
    ],
    ["an OAuth error of the server", () => new OAuthError(OAuthErrorCode.ServerError, "down")],
  ])("that is %s is a 500, and one line names the function", async (...[, make]) => {
    const { call, told } = await serve({ authenticate: bearerOf(() => Promise.reject(make())) })

    expect((await call()).status).toBe(500)
    expect(told()).toMatchObject([
      { code: "handler_failed", message: 'a request was not served: "verifier.verifyAccessToken" threw' },
    ])
  })
})

describe("a principal from a function", () => {
  const bad = [{ id: 7 }, {}, "ann", 7, true, [], { id: "ann", scopes: "read" }, { id: "ann", scopes: null }, null]
  const ways: readonly (readonly [string, (who: unknown) => HttpOptions])[] = [
    ["authenticate", (who) => ({ authenticate: (() => who) as never })],
    ["authenticate", (who) => ({ authenticate: (() => ({ principal: who })) as never })],
    ["principal", (who) => ({ principal: (() => who) as never })],
    ["toPrincipal", (who) => ({ authenticate: bearerOf(() => good, { toPrincipal: () => who as never }) })],
  ]

  it.each(ways.flatMap(([name, options]) => bad.map((who) => [name, who, options] as const)))(
    "by %s as %j admits nobody, and the operator reads why",
    async (...[name, who, options]) => {
      const { call, told } = await serve(options(who))

      expect((await call()).status).toBe(500)
      expect(told()[0]?.message).toMatch(new RegExp(`^a request was not served: "${name}" returned .*expected`))
    },
  )

  it("may have a status of its own", async () => {
    const user = { id: "ann", status: "active" }
    const { call } = await serve({ authenticate: () => user })

    expect((await call()).status).toBe(200)
  })

  it.each([
    ["an admission that ends at no date", { principal: { id: "ann" }, expires: Date.now() }, '"expires"'],
    ["an admission whose end is no time", { principal: { id: "ann" }, expires: new Date("no") }, '"expires"'],
    ["an admission that holds by no function", { principal: { id: "ann" }, holds: true }, '"holds"'],
    ["an answer of no status", { status: 1_000 }, "status"],
    ["an answer with a body that cannot be sent", { status: 401, body: { error: "no" } }, "body"],
    ["an answer with a header that cannot be sent", { status: 401, headers: { "x-a": "a\nb" } }, "header"],
  ])("is refused as %s, and the client does not wait", async (...[, who, part]) => {
    const { call, told } = await serve({ authenticate: (() => who) as never })

    expect((await call()).status).toBe(500)
    expect(told()[0]?.message).toContain(part)
  })

  it("is a 401 when the function throws a token library's error", async () => {
    const { call } = await serve({
      authenticate: async () => {
        const { payload } = await jwtVerify("nonsense", key)
        return { id: String(payload.sub) }
      },
    })

    const response = await call()

    expect([response.status, response.headers.get("www-authenticate")]).toEqual([
      401,
      expect.stringMatching(/^Bearer /),
    ])
  })

  it("is checked when keys are found", async () => {
    const { call, told } = await serve({ authenticate: apiKeys((() => ({ sub: "ann" })) as never) })

    expect((await call({ "x-api-key": "k" })).status).toBe(500)
    expect(told()[0]?.message).toContain('"apiKeys" returned an invalid principal')
  })
})

describe("callbacks given once", () => {
  it.each([
    ["apiKeys", () => apiKeys(new Map([["key", { id: 7 } as never]]))],
    ["apiKeys as an object", () => apiKeys({ key: { id: "ann" } } as never)],
    ["bearerToken", () => bearerToken("0123456789abcdef", { name: "ann" } as never)],
    ["bearer without a verifier", () => bearerOf(() => good, { verifier: (() => good) as never })],
    ["bearer of a text as resource", () => bearerOf(() => good, { resource: "https://app.example/mcp" as never })],
    ["bearer of scopes as text", () => bearerOf(() => good, { requiredScopes: "read" as never })],
    ["bearer of an option that there is not", () => bearerOf(() => good, { audience: "x" } as never)],
    ["in-memory", () => connectInMemory(createMcpAdapter(createBoard().service), { principal: { id: 7 } as never })],
  ])("is refused at once: %s", (_, make) => {
    expect(make).toThrow(expect.objectContaining({ code: "invalid_option" }))
  })
})

describe("other functions of the application", () => {
  it.each([
    ["a promise", async () => true],
    ["nothing", () => undefined],
    ["a throw", () => JSON.parse("{")],
    ["a promise that rejects", () => Promise.reject(new Error("no"))],
    ["a word", () => "yes"],
  ])("`allow` that gives %s hides everything and says so once", async (_, allow) => {
    const { list, told } = await serve({}, { allow: allow as never })

    expect((await list()).filter((name) => !["get_state", "list_links", "run_action"].includes(name))).toEqual([])
    expect(told().filter(({ message }) => message.includes('"allow"'))).toHaveLength(1)
  })

  it.each([
    ["a text", () => "read"],
    ["nothing", () => undefined],
    ["a promise that rejects", () => Promise.reject(new Error("no"))],
    ["a throw", () => JSON.parse("{")],
  ])("`scopes` that gives %s lets no call run, and is named", async (_, scopes) => {
    const { adapter, told } = await serve({}, { scopes: scopes as never })

    const answer = await adapter.call("add", { text: "x" }, { principal: { id: "ann", scopes: ["r", "read"] } })

    expect(answer).toMatchObject({ outcome: { ok: false, code: "action_failed" } })
    expect(told()[0]?.message).toContain('"scopes"')
  })

  it.each([
    ["confirm", () => undefined],
    ["confirm", async () => "Sure?"],
    ["confirm", () => true],
    ["confirm", () => " "],
    ["ask", () => undefined],
    ["ask", async () => ({})],
    ["ask", () => ({ pin: "Your PIN?" })],
    ["ask", () => ({ pin: { message: "Your PIN?" } })],
  ])("`%s` that gives no question runs nothing, and is named", async (name, question) => {
    const ran: number[] = []
    const pay = action({ description: "Pay", [name]: question as never, execute: () => void ran.push(1) })
    const adapter = createMcpAdapter(createAgenticService({ name: "bank", actions: { pay } }))
    onTestFinished(adapter.close)
    const told: string[] = []
    adapter.events.subscribe((event) => event.type === "diagnostic" && told.push(event.diagnostic.message))

    const answer = await adapter.call("pay", {}, { clientCapabilities: { elicitation: {} } })

    expect([answer, ran]).toMatchObject([{ outcome: { code: "action_failed" } }, []])
    expect(told).toEqual([expect.stringContaining(`"${name}" returned`)])
  })

  it("`authenticate.documents` that throws is a 500 that names it", async () => {
    const documents = () => JSON.parse("{")
    const { url, told } = await serve({ authenticate: Object.assign(() => ({ id: "ann" }), { documents }) })

    expect((await fetch(new URL("/.well-known/x", url))).status).toBe(500)
    expect(told()[0]?.message).toContain('"authenticate.documents" threw')
  })
})

describe("the function that gives a principal's service", () => {
  it.each([
    ["nothing", () => undefined, '"source" returned no service: found undefined'],
    ["a promise", async () => createBoard().service, '"source" returned a promise, which is not awaited'],
    ["what is none", () => ({ name: "board" }), '"source" returned no service: found an object without'],
    ["a throw", () => JSON.parse("{"), '"source" threw'],
  ])("is a 500 that names it where it gives %s", async (_, source, found) => {
    const { call, told } = await serve({ principal: () => ({ id: "ann" }) }, {}, source as never)

    expect((await call()).status).toBe(500)
    expect(told()[0]?.message).toContain(found)
  })
})

describe("the functions of an extension", () => {
  const circle: { self?: unknown } = {}
  circle.self = circle

  it.each([
    ["nothing", () => undefined],
    ["a number", async () => 5],
    ["a text", async () => "x"],
    ["a list", async () => []],
    ["what JSON has no form for", async () => ({ prompts: 5n })],
    ["what holds itself", async () => ({ prompts: [circle] })],
    ["a throw", () => JSON.parse("{")],
  ])("may give %s: each era and leg is answered, and nothing hangs", async (_, answer) => {
    const extension = { methods: { "prompts/list": () => answer as never } }
    const failed = { error: { code: -32603 } }
    for (const legacy of ["sessions", "stateless"] as const) {
      const { url, close, told } = await serve({ extension, legacy })
      const { modern, open } = createWire(url)

      expect(await readAnswer(modern({ id: 7, method: "prompts/list" }))).toMatchObject({ id: 7, ...failed })
      const { send } = await open()
      expect(await readAnswer(send({ id: 8, method: "prompts/list" }))).toMatchObject({ id: 8, ...failed })
      expect(told()).not.toEqual([])
      await close()
    }
    const adapter = createMcpAdapter(createBoard().service)
    onTestFinished(adapter.close)
    for (const era of ["legacy", "modern"] as const) {
      const transport = connectInMemory(adapter, { extension })
      const line = createLine(transport, era)
      if (era === "legacy") await line.ask({ id: 1, method: "initialize", params: introduce("2025-11-25") })
      expect(await line.ask({ id: 9, method: "prompts/list" })).toMatchObject({ id: 9, ...failed })
      await transport.close()
    }
  })

  it.each([
    ["capabilities", { capabilities: () => undefined }, '"extension.capabilities" returned undefined'],
    ["capabilities", { capabilities: async () => ({}) }, '"extension.capabilities" returned a promise'],
    ["capabilities", { capabilities: () => JSON.parse("{") }, '"extension.capabilities" threw'],
    ["methods", { methods: { "prompts/list": () => JSON.parse("{") } }, '"extension.methods["prompts/list"]" threw'],
    [
      "methods",
      { methods: { "prompts/list": () => undefined } },
      '"extension.methods["prompts/list"]" returned undefined',
    ],
  ])("`%s` that gives nothing of use is named", async (_, extension, found) => {
    const { url, told } = await serve({ extension: extension as never })
    const opened = createWire(url).post({ id: 0, method: "initialize", params: introduce("2025-11-25") })

    expect((await opened).status).toBe(500)
    expect(told()[0]?.message).toContain(found)
  })

  it.each([
    ["a promise of false", async () => false],
    ["a word", () => "no"],
    ["a throw", () => JSON.parse("{")],
  ])("`hasResource` that gives %s has none, and is named", async (_, hasResource) => {
    const { url, told } = await serve({ extension: { hasResource: hasResource as never } })
    const { send } = await createWire(url).open()

    const params = { uri: "mine://secret" }
    expect(await readAnswer(send({ id: 1, method: "resources/subscribe", params }))).toMatchObject({
      error: { code: -32002 },
    })
    expect(told()[0]?.message).toContain('"extension.hasResource"')
  })
})

describe("a wrapper around calls", () => {
  it.each([
    ["nothing", () => undefined],
    ["a promise of nothing", async (_: unknown, work: () => Promise<unknown>) => void (await work())],
    ["a number", () => 5],
  ])("fails the call where it gives %s, and the adapter can close", async (_, around) => {
    const { adapter, told } = await serve()
    adapter.core.calls.around(around as never)

    expect(await adapter.call("add", { text: "x" })).toMatchObject({ outcome: { ok: false, code: "action_failed" } })
    expect(String(told()[0]?.cause)).toContain('"around" returned')
    expect(adapter.ledger.counts().call).toBe(0)
  })
})

describe("`otherwise`", () => {
  it.each([
    ["throws", () => JSON.parse("{")],
    ["rejects", () => Promise.reject(new Error("no"))],
  ])("that %s is a 500 that names it, and the server goes on", async (_, otherwise) => {
    const { url, call, told } = await serve({ otherwise: otherwise as never })

    expect((await fetch(new URL("/app", url))).status).toBe(500)
    expect(told()[0]?.message).toBe('a request was not served: "otherwise" threw')
    expect((await call()).status).toBe(200)
  })
})

const _meta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
}

/** A board over HTTP, what a request with a token is answered, and what the operator is told. */
async function serve(options: HttpOptions = {}, adapterOptions: McpAdapterOptions = {}, source?: AdapterSource) {
  const adapter = createMcpAdapter(source ?? createBoard().service, adapterOptions)
  const diagnostics: { code: string; message: string; cause?: unknown }[] = []
  adapter.events.subscribe((event) => event.type === "diagnostic" && diagnostics.push(event.diagnostic))
  const server = await serveHttp(adapter, { port: 0, ...options })
  onTestFinished(() => server.close().finally(adapter.close))
  const call = (headers: Readonly<Record<string, string>> = {}) =>
    fetch(server.url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "tools/list",
        authorization: "Bearer t",
        ...headers,
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: { _meta } }),
    })
  const list = async (): Promise<readonly string[]> => {
    const { result } = (await (await call()).json()) as { result: { tools: { name: string }[] } }
    return result.tools.map(({ name }) => name)
  }
  return { url: server.url, adapter, call, list, close: server.close, told: () => diagnostics }
}
