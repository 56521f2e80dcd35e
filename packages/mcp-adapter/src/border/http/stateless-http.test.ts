import { action, createAgenticService } from "@x/agentic-service"
import { filter, firstValueFrom } from "rxjs"
import { describe, expect, it } from "vitest"
import { createMcpAdapter } from "../../create-adapter.js"
import { createFetchHandler } from "../fetch.js"
import { toInitialize, toModern, toRequest } from "./requests.fixture.js"

describe("createStatelessHttp", () => {
  it("opens no session and announces no notices [list-changed-honest]", async () => {
    const response = await serve(toInitialize())

    expect(response.headers.has("mcp-session-id")).toBe(false)
    expect(response.headers.get("content-type")).toBe("application/json")
    expect(await response.json()).toMatchObject({
      id: 0,
      result: { protocolVersion: "2025-11-25", capabilities: { tools: {}, resources: {} } },
    })
  })

  it.each(["GET", "DELETE", "PUT"])("allows POST only, not %s [legacy-get, session-delete]", async (method) => {
    const response = await serve(toRequest(method))

    expect(response.status).toBe(405)
    expect(response.headers.get("allow")).toBe("POST")
  })

  it.each(["*/*", "text/html", "application/json", ""])(
    "answers with JSON if the client accepts %j",
    async (accept) => {
      const response = await serve(toPost("tools/list", {}, { accept }))

      expect(response.status).toBe(200)
      expect(await response.json()).toMatchObject({ id: 1, result: { tools: [{ name: "hello" }] } })
    },
  )

  it.each([undefined, {}, { capabilities: {} }, { protocolVersion: "1999-01-01" }])(
    "introduces itself to a client that says %j of itself",
    async (params) => {
      expect(await (await serve(toPost("initialize", params))).json()).toMatchObject({
        id: 1,
        result: { protocolVersion: "2025-11-25", serverInfo: { name: "test" } },
      })
    },
  )

  it("answers in the requested version [initialize-echo]", async () => {
    const response = await serve(toPost("initialize", { protocolVersion: "2025-06-18" }))

    expect(await response.json()).toMatchObject({ result: { protocolVersion: "2025-06-18" } })
  })

  it("refuses parameters that are not an object", async () => {
    expect((await serve(toPost("initialize", "hello"))).status).toBe(400)
  })

  it.each([{ id: 2 }, {}])("accepts a notification with %j and sends no answer [legacy-202]", async (id) => {
    const response = await serve(toRequest("POST", {}, { jsonrpc: "2.0", method: "notifications/initialized", ...id }))

    expect(response.status).toBe(202)
    expect(await response.text()).toBe("")
  })

  it("answers a batch at once (2025-03-26) [batch]", async () => {
    const call = (id: number) => ({ jsonrpc: "2.0", id, method: "tools/call", params: { name: "hello" } })
    const response = await serve(toRequest("POST", {}, [call(1), call(2)]))

    expect(await response.json()).toMatchObject([
      { id: 1, result: {} },
      { id: 2, result: {} },
    ])
  })

  it("ignores a session that another process opened", async () => {
    expect((await serve(toPost("tools/list", {}, { "mcp-session-id": "gone" }))).status).toBe(200)
  })

  it("refuses an unsupported version (2025-06-18, basic/transports) [legacy-version-400]", async () => {
    const response = await serve(toPost("tools/list", {}, { "mcp-protocol-version": "1999-01-01" }))

    expect(response.status).toBe(400)
  })

  it("refuses a subscription, whose updates could not be sent [negotiated-only]", async () => {
    const response = await serve(toPost("resources/subscribe", { uri: "agentic://test/greeting" }))

    expect(await response.json()).toMatchObject({ error: { code: -32601 } })
  })

  it("applies the checks of every leg [legacy-origin]", async () => {
    expect((await serve(toPost("tools/list", {}, { host: "evil.example" }))).status).toBe(403)
    expect((await serve(toPost("tools/list", {}, { origin: "https://evil.example" }))).status).toBe(403)
    expect((await serve(toPost("tools/list", {}, { "content-type": "text/plain" }))).status).toBe(415)
    expect((await serve(toRequest("POST", {}, `"${"x".repeat(4 * 2 ** 20)}"`))).status).toBe(413)
    expect((await serve(toRequest("POST", {}, "{"))).status).toBe(400)
  })

  it("serves modern clients as well [both-eras]", async () => {
    expect(await (await serve(toModern("tools/list"))).json()).toMatchObject({ result: { resultType: "complete" } })
  })

  it("aborts the call when the connection is dropped, and holds nothing afterwards", async () => {
    const { adapter, handler, called, aborted } = createWaiting()
    const connection = new AbortController()
    const answer = handler.fetch(new Request(toWait(), { signal: connection.signal }))

    await called
    connection.abort()

    await aborted
    expect((await answer).ok).toBe(false)
    await firstValueFrom(adapter.events.pipe(filter(({ type }) => type === "call-settled")))
    expect(adapter.ledger.counts()).toMatchObject({ view: 0, call: 0 })
    await handler.close()
    adapter.close()
  })

  it("starts no call if the connection is already gone", async () => {
    const { adapter, handler, called } = createWaiting()
    const gone = handler.fetch(new Request(toWait(), { signal: AbortSignal.abort() })).then(({ ok }) => ({ ok }))

    expect(await Promise.race([called, gone])).toEqual({ ok: false })
    await handler.close()
    adapter.close()
  })

  it("answers open calls with the reason when it closes", async () => {
    const { adapter, handler, called, aborted } = createWaiting()
    const answer = handler.fetch(toWait())

    await called
    await handler.close()

    await aborted
    expect(await (await answer).json()).toMatchObject({
      result: { isError: true, content: [{ text: expect.stringContaining("the server is closing") }] },
    })
    expect(adapter.ledger.counts()).toMatchObject({ view: 0, call: 0 })
    adapter.close()
  })
})

function toWait(): Request {
  return toPost("tools/call", { name: "wait" })
}

function toPost(method: string, params?: unknown, headers: Readonly<Record<string, string>> = {}): Request {
  return toRequest("POST", headers, { jsonrpc: "2.0", id: 1, method, ...(params !== undefined && { params }) })
}

async function serve(request: Request): Promise<Response> {
  const hello = action({ description: "says hello", output: { type: "string" }, execute: () => "hello" })
  const adapter = createMcpAdapter(createAgenticService({ name: "test", actions: { hello } }))
  const handler = createFetchHandler(adapter, {
    legacy: "stateless",
    tools: { runAction: false, listLinks: false },
    states: "resources",
  })
  const response = await handler.fetch(request)
  await handler.close()
  adapter.close()
  return response
}

/** An action that ends only by being aborted. */
function createWaiting() {
  let calling = () => {}
  const called = new Promise<void>((resolve) => {
    calling = resolve
  })
  let aborting = () => {}
  const aborted = new Promise<void>((resolve) => {
    aborting = resolve
  })
  const wait = action({
    description: "waits",
    execute(_, { signal }) {
      calling()
      return new Promise<never>((_resolve, reject) => {
        signal.addEventListener("abort", () => {
          aborting()
          reject(signal.reason)
        })
      })
    },
  })
  const adapter = createMcpAdapter(createAgenticService({ name: "test", actions: { wait } }))
  return { adapter, handler: createFetchHandler(adapter, { legacy: "stateless", drainMs: 0 }), called, aborted }
}
