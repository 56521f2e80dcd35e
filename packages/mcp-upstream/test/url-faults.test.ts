import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
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

describe("a URL whose server has forgotten the session", () => {
  it("is connected anew, and the call runs once", async () => {
    const site = await serve()
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
    const site = await serve()
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
  it("is tried at once when somebody calls, however long the wait has become", async () => {
    const site = await serve()
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

describe("a server with what is no part of it", () => {
  it.each([
    ["an option", { url: "http://127.0.0.1:9/mcp", onChange: "hold" }, '"onChange"'],
    ["a typing mistake", { url: "http://127.0.0.1:9/mcp", header: {} }, '"header"'],
    ["an option beside a transport", { transport: () => Promise.reject(new Error("none")), limits: {} }, '"limits"'],
    ["an option beside a command", { command: "true", exclude: ["*"] }, '"exclude"'],
  ])("is refused for %s", (_, server, told) => {
    const make = () => fromMcpServerOnNode(server as unknown as TransportServer) // as code without types has it

    expect(make).toThrow(expect.objectContaining({ code: "invalid_option", message: expect.stringContaining(told) }))
    expect(make).toThrow("options are the second argument")
  })
})

describe("a URL that is slow", () => {
  it("is given up on a call after the link's time, and stays connected", async () => {
    const site = await serve()
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
    const site = await serve()
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

/** A server of the legacy era over HTTP, with sessions and a tool that counts its calls, that fails as it is told. */
async function serve() {
  let [session, count, port] = [0, 0, 0]
  let known = new Set<string>()
  let fail: number | "hold" | undefined
  const answers: Readonly<Record<string, () => object>> = {
    initialize: () => ({
      protocolVersion: "2025-11-25",
      capabilities: { tools: {} },
      serverInfo: { name: "site", version: "1" },
    }),
    "tools/list": () => ({ tools: [{ name: "count", inputSchema: { type: "object" } }] }),
    "tools/call": () => {
      count += 1
      return { content: [{ type: "text", text: String(count) }] }
    },
  }
  const http = createServer(async (request, response) => {
    let body = ""
    for await (const part of request) body += String(part)
    if (request.method !== "POST") return response.writeHead(405).end()
    const { id, method } = JSON.parse(body)
    const opens = method === "initialize"
    if (opens) {
      session += 1
      known.add(String(session))
    } else if (!known.has(String(request.headers["mcp-session-id"]))) return response.writeHead(404).end()
    if (id === undefined) return response.writeHead(202).end()
    if (method === "tools/call" && fail === "hold") return
    if (method === "tools/call" && typeof fail === "number") return response.writeHead(fail).end()
    const result = answers[method]?.()
    const answer = result === undefined ? { error: { code: -32601, message: "no" } } : { result }
    return response
      .writeHead(200, { "content-type": "application/json", ...(opens && { "mcp-session-id": String(session) }) })
      .end(JSON.stringify({ jsonrpc: "2.0", id, ...answer }))
  })
  const start = () => new Promise<void>((resolve) => http.listen(port, "127.0.0.1", resolve))
  const stop = () =>
    new Promise<void>((resolve) => {
      http.close(() => resolve())
      http.closeAllConnections()
    })
  await start()
  port = (http.address() as AddressInfo).port // it listens on a port
  onTestFinished(stop)
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    start,
    stop,
    sessions: () => session,
    forget: () => {
      known = new Set()
    },
    hold: () => {
      fail = "hold"
    },
    refuse: (status: number) => {
      fail = status
    },
    goOn: () => {
      fail = undefined
    },
  }
}
