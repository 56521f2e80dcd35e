import { describe, expect, it } from "vitest"
import type { McpAdapter } from "../../create-adapter.js"
import { hostClock } from "../../runtime/host.js"
import { createManualClock } from "../../runtime/manual-clock.fixture.js"
import { createFetchHandler, type FetchHandler, type FetchOptions } from "../fetch.js"
import { createEmptyAdapter, toInitialize, toPing, toRequest } from "./requests.fixture.js"

describe("legacy sessions", () => {
  it("serves a session it has opened", async () => {
    const { handler } = createEndpoint()
    const session = await open(handler)

    expect(await ping(handler, session)).toBe(200)
  })

  it("answers 404 for a session it does not know [session-unknown]", async () => {
    const { handler } = createEndpoint()

    const response = await handler.fetch(toPing("00000000-0000-4000-8000-000000000000"))

    expect(response.status).toBe(404)
    expect(await response.json()).toMatchObject({ error: { code: -32001 } })
  })

  it("ends a session that the client deletes [session-delete, session-unknown]", async () => {
    const { handler, adapter } = createEndpoint()
    const session = await open(handler)

    expect((await handler.fetch(toRequest("DELETE", { "mcp-session-id": session }))).status).toBe(200)

    expect(await ping(handler, session)).toBe(404)
    expect(adapter.ledger.counts()).toMatchObject(nothing)
  })

  it("refuses a session to another principal, and to the same one with other scopes [session-no-credential]", async () => {
    const { handler } = createEndpoint({
      principal: (request) => {
        const [id = "", ...scopes] = request.headers.get("authorization")?.split(" ") ?? []
        return { id, scopes }
      },
    })
    const session = await open(handler, { authorization: "ann read" })
    const pingAs = async (authorization: string) => {
      const request = toPing(session)
      request.headers.set("authorization", authorization)
      return (await handler.fetch(request)).status
    }

    expect(await pingAs("ann read")).toBe(200)
    expect(await pingAs("bob read")).toBe(404)
    expect(await pingAs("ann write")).toBe(404)
    expect(await pingAs("ann")).toBe(404)
    expect(await pingAs("ann write read")).toBe(200)
  })

  it("refuses a session to the same id with other claims, but for those that differ in each token", async () => {
    const { handler } = createEndpoint({
      principal: ({ headers }) => {
        const [tenant = "", exp = ""] = headers.get("authorization")?.split(" ") ?? []
        return { id: "ann", claims: { tenant, exp: Number(exp) } }
      },
    })
    const session = await open(handler, { authorization: "one 1" })
    const pingAs = async (authorization: string) => {
      const request = toPing(session)
      request.headers.set("authorization", authorization)
      return (await handler.fetch(request)).status
    }

    expect(await pingAs("one 2")).toBe(200)
    expect(await pingAs("two 2")).toBe(404)
    expect(await pingAs("one 3")).toBe(200)
  })

  it("holds nothing for a client whose initialize is refused", async () => {
    const { handler, adapter } = createEndpoint()

    const params = { protocolVersion: "2025-11-25", capabilities: {} }
    const response = await handler.fetch(toRequest("POST", {}, { jsonrpc: "2.0", id: 7, method: "initialize", params }))

    expect(await response.json()).toMatchObject({
      id: 7,
      error: { code: -32602, message: expect.stringContaining('"params.clientInfo" is missing') },
    })
    expect(adapter.ledger.counts()).toMatchObject(nothing)
  })

  it("makes room by dropping the session that was used least recently", async () => {
    const { handler } = createEndpoint({ maxSessions: 2 })
    const first = await open(handler)
    const second = await open(handler)
    await ping(handler, first)

    await open(handler)

    expect(await ping(handler, first)).toBe(200)
    expect(await ping(handler, second)).toBe(404)
  })

  it("drops a session without a stream before one with an open stream", async () => {
    const { handler } = createEndpoint({ maxSessions: 2 })
    const listening = await open(handler)
    await handler.fetch(toStream(listening))
    const idle = await open(handler)

    await open(handler)

    expect(await ping(handler, listening)).toBe(200)
    expect(await ping(handler, idle)).toBe(404)
  })

  it("drops a session that has been idle for too long, counted from its last request", async () => {
    const { handler, clock, adapter } = createEndpoint({ sessionIdleMs: 1_000 })
    const session = await open(handler)

    clock.advance(999)
    expect(await ping(handler, session)).toBe(200)
    clock.advance(999)
    expect(await ping(handler, session)).toBe(200)
    clock.advance(1_000)

    expect(await ping(handler, session)).toBe(404)
    expect(adapter.ledger.counts()).toMatchObject(nothing)
  })

  it("keeps a session as long as its stream is open [legacy-get]", async () => {
    const { handler, clock } = createEndpoint({ sessionIdleMs: 1_000 })
    const session = await open(handler)
    const stream = await handler.fetch(toStream(session))

    clock.advance(10_000)
    expect(await ping(handler, session)).toBe(200)
    await stream.body?.cancel()
    clock.advance(1_000)

    expect(await ping(handler, session)).toBe(404)
  })

  it("reports a session it drops", async () => {
    const { handler, adapter } = createEndpoint({ maxSessions: 1 })
    const reported: string[] = []
    adapter.events.subscribe((event) => event.type === "diagnostic" && reported.push(event.diagnostic.code))

    await open(handler)
    await open(handler)

    expect(reported).toEqual(["session_dropped"])
  })

  it("releases everything when the handler closes", async () => {
    const { handler, adapter } = createEndpoint()
    const stream = await handler.fetch(toStream(await open(handler)))
    await open(handler)

    await handler.close()

    expect(adapter.ledger.counts()).toMatchObject(nothing)
    expect(await stream.text()).toMatch(/^: open\n\nid: 1\n/)
  })
})

const nothing = { session: 0, stream: 0, timer: 0 }

function createEndpoint(options: FetchOptions = {}) {
  const clock = createManualClock()
  const adapter: McpAdapter = createEmptyAdapter({ clock: { ...hostClock, after: clock.after } })
  return { handler: createFetchHandler(adapter, options), adapter, clock }
}

async function open(handler: FetchHandler, headers?: Record<string, string>): Promise<string> {
  const response = await handler.fetch(toInitialize(headers))
  await response.text()
  return response.headers.get("mcp-session-id") ?? ""
}

async function ping(handler: FetchHandler, session: string): Promise<number> {
  const response = await handler.fetch(toPing(session))
  await response.text()
  return response.status
}

function toStream(session: string): Request {
  return toRequest("GET", { "mcp-session-id": session })
}
