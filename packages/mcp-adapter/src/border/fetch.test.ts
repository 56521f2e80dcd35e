import { createAgenticService } from "@x/agentic-service"
import { firstValueFrom } from "rxjs"
import { describe, expect, it } from "vitest"
import { createMcpAdapter } from "../create-adapter.js"
import { hostClock } from "../runtime/host.js"
import { createManualClock } from "../runtime/manual-clock.fixture.js"
import { createFetchHandler, type FetchOptions } from "./fetch.js"
import { createEmptyAdapter, toInitialize, toModern, toRequest } from "./http/requests.fixture.js"

describe("createFetchHandler", () => {
  it("answers a modern request without a session [any-connection, client-info-optional]", async () => {
    const response = await serve(toModern("tools/list"))

    expect(response.headers.get("mcp-session-id")).toBeNull()
    expect(await response.json()).toMatchObject({ id: 1, result: { resultType: "complete" } })
  })

  it("opens a session for a legacy client [session-id]", async () => {
    const response = await serve(toInitialize())

    expect(response.headers.get("mcp-session-id")).toMatch(/^[\x21-\x7e]{36}$/)
  })

  it.each(["evil.example", "evil.example:80", "localhost.evil.example"])("refuses the host %j [host]", async (host) => {
    expect((await serve(toModern("tools/list", {}, { host }))).status).toBe(403)
  })

  it("serves the hosts it is given", async () => {
    const response = await serve(toModern("tools/list", {}, { host: "mcp.example:8080" }), {
      allowedHosts: ["mcp.example"],
    })

    expect(response.status).toBe(200)
  })

  it.each(["https://evil.example", "null", "nonsense"])(
    "refuses the origin %j without CORS headers [origin]",
    async (origin) => {
      const response = await serve(toModern("tools/list", {}, { origin }))

      expect(response.status).toBe(403)
      expect(response.headers.has("access-control-allow-origin")).toBe(false)
    },
  )

  it("lets the page of an allowed origin read the answer", async () => {
    const { headers } = await serve(toInitialize({ origin: "http://localhost:5173" }))

    expect(headers.get("access-control-allow-origin")).toBe("http://localhost:5173")
    expect(headers.get("access-control-expose-headers")).toContain("Mcp-Session-Id")
    expect(headers.get("vary")).toBe("Origin")
  })

  it("answers a preflight request of an allowed origin", async () => {
    const asked = { origin: "http://localhost", "access-control-request-headers": "mcp-param-region, x-other" }
    const { status, headers } = await serve(toRequest("OPTIONS", asked))

    expect(status).toBe(204)
    expect(headers.get("access-control-allow-methods")).toBe("GET, POST, DELETE, OPTIONS")
    expect(headers.get("access-control-allow-headers")?.split(", ")).toEqual(
      expect.arrayContaining([
        "content-type",
        "mcp-protocol-version",
        "mcp-session-id",
        "mcp-method",
        "mcp-param-region",
      ]),
    )
    expect(headers.get("access-control-allow-headers")).not.toContain("x-other")
  })

  it("refuses a preflight request of another origin", async () => {
    expect((await serve(toRequest("OPTIONS", { origin: "https://evil.example" }))).status).toBe(403)
  })

  it.each([
    ["not JSON", toRequest("POST", {}, "{"), { status: 400, code: -32700 }],
    ["nothing", toRequest("POST", {}, ""), { status: 400, code: -32700 }],
    ["another type", toRequest("POST", { "content-type": "text/plain" }, "{}"), { status: 415, code: -32000 }],
    ["more than 4 MiB", toRequest("POST", {}, `"${"x".repeat(4 * 2 ** 20)}"`), { status: 413, code: -32000 }],
    ["no message", toRequest("POST", {}, { hello: 1 }), { status: 400, code: -32600 }],
    [
      "no session",
      toRequest("POST", {}, { jsonrpc: "2.0", id: 1, method: "tools/list" }),
      { status: 400, code: -32000 },
    ],
    ["an empty batch", toRequest("POST", {}, []), { status: 400, code: -32600 }],
  ])("refuses a body with %s [parse-error, invalid-request, session-missing]", async (_, request, { status, code }) => {
    const response = await serve(request)

    expect(response.status).toBe(status)
    expect(await response.json()).toMatchObject({ error: { code } })
  })

  it("refuses a modern request whose headers contradict its body [method-header]", async () => {
    const response = await serve(toModern("tools/list", {}, { "mcp-method": "tools/call" }))

    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ id: 1, error: { code: -32020 } })
  })

  it("refuses an unsupported modern version, and names the supported ones [version-unsupported, version-400]", async () => {
    const request = toModern("tools/list", { _meta: {} })
    const body = (await request.text()).replaceAll("2026-07-28", "2099-01-01")
    const response = await serve(toRequest("POST", { "mcp-protocol-version": "2099-01-01" }, body))

    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ error: { code: -32022, data: { supported: ["2026-07-28"] } } })
  })

  it("refuses other methods", async () => {
    expect((await serve(toRequest("PUT", {}, {}))).status).toBe(405)
  })

  it("refuses legacy clients if configured, and names the supported version [modern-only-named]", async () => {
    const response = await serve(toInitialize(), { legacy: "reject" })

    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ error: { code: -32022, data: { supported: ["2026-07-28"] } } })
  })

  it.each(["GET", "DELETE"])("refuses %s if legacy clients are refused [modern-only-405]", async (method) => {
    expect((await serve(toRequest(method), { legacy: "reject" })).status).toBe(405)
  })

  it("accepts a parsed body", async () => {
    const body: unknown = await toModern("tools/list").json()
    const request = toModern("tools/list")
    await request.text()

    const adapter = createEmptyAdapter()
    const handler = createFetchHandler(adapter)
    expect((await handler.fetch(request, { parsedBody: body })).status).toBe(200)
    await handler.close()
    adapter.close()
  })

  it("answers 500 if the caller cannot be identified, and reports the cause to the operator only", async () => {
    const adapter = createEmptyAdapter()
    const event = firstValueFrom(adapter.events)
    const principal = () => Promise.reject(new Error("the directory is down"))
    const response = await createFetchHandler(adapter, { principal }).fetch(toModern("tools/list"))

    expect(response.status).toBe(500)
    expect(await response.text()).not.toContain("directory")
    expect(await event).toMatchObject({
      diagnostic: { code: "handler_failed", cause: { message: "the directory is down" } },
    })
  })

  it.each([
    { what: "a modern answer", request: () => toModern("server/discover") },
    { what: "a legacy answer without a session", request: () => toInitialize() },
  ])("releases a principal's view after $what", async ({ request }) => {
    const clock = createManualClock()
    const adapter = createMcpAdapter(() => createAgenticService({ name: "own" }), {
      clock: { ...hostClock, after: clock.after },
      principals: { idleMs: 1_000 },
    })
    const handler = createFetchHandler(adapter, { legacy: "stateless" })

    await handler.fetch(request())
    expect(adapter.ledger.counts().view).toBe(1)
    clock.advance(1_000)

    expect(adapter.ledger.counts().view).toBe(0)
    await handler.close()
    adapter.close()
  })

  it("answers 503 once it is closed", async () => {
    const adapter = createEmptyAdapter()
    const handler = createFetchHandler(adapter)

    await handler.close()
    await handler.close()

    expect((await handler.fetch(toModern("tools/list"))).status).toBe(503)
    expect((await handler.fetch(toInitialize())).status).toBe(503)
  })

  it("answers 503 once its adapter is closed", async () => {
    const adapter = createEmptyAdapter()
    const handler = createFetchHandler(adapter)
    adapter.close()

    expect((await handler.fetch(toModern("tools/list"))).status).toBe(503)
    expect((await handler.fetch(toInitialize())).status).toBe(503)
  })

  it("answers 503 while the number of principals is at its limit", async () => {
    const adapter = createMcpAdapter(createAgenticService({ name: "s" }), { allow: () => true, principals: { max: 1 } })
    const { release } = adapter.core.open({ id: "ann" })
    const { fetch } = createFetchHandler(adapter, { principal: () => ({ id: "bob" }) })

    const before = (await fetch(toModern("tools/list"))).status
    release()

    expect([before, (await fetch(toModern("tools/list"))).status]).toEqual([503, 200])
  })
})

async function serve(request: Request, options: FetchOptions = {}): Promise<Response> {
  const adapter = createEmptyAdapter()
  const handler = createFetchHandler(adapter, options)
  const response = await handler.fetch(request)
  await handler.close()
  adapter.close()
  return response
}
