import { filter, firstValueFrom } from "rxjs"
import { describe, expect, it, onTestFinished } from "vitest"
import {
  fromMcpServer,
  type TransportServer,
  type Upstream,
  type UpstreamOptions,
  type UpstreamStatus,
} from "../src/index.js"
import { fromMcpServer as fromMcpServerOnNode } from "../src/node.js"
import { serveSite } from "./site.js"

describe("a URL whose server has forgotten the session", () => {
  it("is connected anew, and the call runs once", async () => {
    const site = await serveSite()
    const server = take(site.url)
    await firstValueFrom(server.actions)

    site.forget()
    const reply = await server.execute("count", {})

    expect(reply).toMatchObject({ ok: true, content: [{ text: "1" }] })
    expect(site.sessions()).toBe(2)
  })
})

describe("a URL whose server goes down", () => {
  it("says so of its tools, and has them again once it is back", async () => {
    const site = await serveSite()
    const server = take(site.url, { limits: { graceMs: 0, retryMs: 10, retryMaxMs: 50 } })
    await firstValueFrom(server.actions)
    const gone = firstValueFrom(server.actions.pipe(filter((map) => Object.keys(map).length === 0)))

    await site.stop()
    const failed = await server.execute("count", {})
    await gone
    const unavailable = await server.execute("count", {})
    const back = firstValueFrom(server.actions.pipe(filter((map) => "count" in map)))
    await site.start()
    await back

    expect([failed, unavailable]).toMatchObject([
      { ok: false, code: "not_available" },
      { ok: false, code: "not_available", message: expect.stringContaining("not connected") },
    ])
    expect(await server.execute("count", {})).toMatchObject({ ok: true })
  })
})

describe("a URL whose server is back before it is tried again", () => {
  it("is tried at once on a call, however long the wait has become", async () => {
    const site = await serveSite()
    const server = take(site.url, { limits: { graceMs: 0, retryMs: 600_000, retryMaxMs: 600_000 } })
    await firstValueFrom(server.actions)
    const gone = firstValueFrom(server.actions.pipe(filter((map) => Object.keys(map).length === 0)))
    await site.stop()
    await server.execute("count", {})
    await gone
    await until(server, "waiting")
    await site.start()
    const back = firstValueFrom(server.actions.pipe(filter((map) => "count" in map)))

    const refused = await server.execute("count", {})
    await back

    expect(refused).toMatchObject({ ok: false, code: "not_available" })
    expect(await server.execute("count", {})).toMatchObject({ ok: true })
  })
})

describe("a server with data that is not its own", () => {
  it.each([
    ["an option", { url: "http://127.0.0.1:9/mcp", onChange: "hold" }, '"onChange"'],
    ["a typing mistake", { url: "http://127.0.0.1:9/mcp", header: {} }, '"header"'],
    ["an option beside a transport", { transport: () => Promise.reject(new Error("none")), limits: {} }, '"limits"'],
    ["an option beside a command", { command: "true", exclude: ["*"] }, '"exclude"'],
  ])("is refused for %s", (_, server, told) => {
    const make = () => fromMcpServerOnNode(server as unknown as TransportServer) // as untyped code passes it

    expect(make).toThrow(expect.objectContaining({ code: "invalid_option", message: expect.stringContaining(told) }))
    expect(make).toThrow("options are the second argument")
  })
})

describe("a URL that is slow", () => {
  it("is given up on a call after the link's time, and stays connected", async () => {
    const site = await serveSite()
    const server = take(site.url, { limits: { callMs: 100 } })
    await firstValueFrom(server.actions)

    site.hold()
    const reply = await server.execute("count", {})
    site.goOn()

    expect(reply).toMatchObject({ ok: false, message: expect.stringContaining("timed out") })
    expect(await until(server, "connected")).toMatchObject({ era: "legacy" })
    expect(await server.execute("count", {})).toMatchObject({ ok: true })
  })
})

describe("a URL that refuses", () => {
  it.each([
    [401, /credentials \(401\)/],
    [403, /credentials \(403\)/],
    [500, /./],
    [429, /./],
  ])("a call with %i fails it with the reason, and the next is tried", async (status, reason) => {
    const site = await serveSite()
    const server = take(site.url)
    await firstValueFrom(server.actions)

    site.refuse(status)
    const refused = await server.execute("count", {})
    site.goOn()

    expect(refused).toMatchObject({ ok: false, code: "not_available", message: expect.stringMatching(reason) })
    expect(await server.execute("count", {})).toMatchObject({ ok: true })
  })
})

function take(url: string, options: UpstreamOptions = {}): Upstream {
  const server = fromMcpServer({ url }, { era: "legacy", ...options })
  onTestFinished(async () => {
    await server.close()
    expect(server.holdings()).toEqual({ connections: 0, children: 0, timers: 0, calls: 0 })
  })
  return server
}

function until(server: Upstream, state: UpstreamStatus["state"]): Promise<UpstreamStatus> {
  return firstValueFrom(server.status.pipe(filter((status) => status.state === state)))
}
