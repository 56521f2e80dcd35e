import { connect as connectHttp2, createServer as createSecureServer } from "node:http2"
import type { AddressInfo } from "node:net"
import { action, createAgenticService } from "@x/agentic-service"
import { createDeferred } from "@x/base"
import { describe, expect, it, onTestFinished } from "vitest"
import { createNodeHandler, type HttpOptions, serveHttp } from "../src/border/http.js"
import { createMcpAdapter } from "../src/create-adapter.js"
import { createBoard } from "./support/board.mjs"
import { createClock } from "./support/lab.mjs"
import { createWire, introduce, type Message, readAnswer, readMessages, serveWire } from "./support/wire.js"

const call = (name: string, id = 1, more: object = {}): Message => ({
  id,
  method: "tools/call",
  params: { name, ...more },
})
const listen = (notifications: object): Message => ({ method: "subscriptions/listen", params: { notifications } })

describe("a call that takes long", () => {
  it.each(["legacy", "modern"] as const)(
    "is kept alive from the first seconds, without a progress token, %s",
    async (era) => {
      const clock = createClock()
      const { modern, open, adapter } = await serveWire(
        { results: { catchUp: false } },
        { clock, calls: { timeoutMs: 1_000_000 } },
      )
      const send = era === "modern" ? modern : (await open("2025-06-18")).send
      const answering = send(call("work"))
      await expect.poll(() => adapter.ledger.counts().call).toBe(1)

      clock.advance(2_500)
      clock.advance(2_500)
      const response = await answering
      for (let passed = 0; passed < 40; passed += 1) clock.advance(1_000)
      await readAnswer(send(call("finish", 2)))
      const text = await response.text()

      expect(response.headers.get("content-type")).toBe("text/event-stream")
      expect(text.match(/^: .*$/gm)?.length).toBeGreaterThanOrEqual(3)
      expect(text).toMatch(/\ndata: \{.*"id":1/)
    },
  )

  it("is answered in JSON for clients that accept nothing else", async () => {
    const clock = createClock()
    const { modern, adapter } = await serveWire(
      { results: { catchUp: false } },
      { clock, calls: { timeoutMs: 1_000_000 } },
    )
    const answering = modern(call("work"), { headers: { accept: "application/json" } })
    await expect.poll(() => adapter.ledger.counts().call).toBe(1)

    for (let passed = 0; passed < 40; passed += 1) clock.advance(1_000)
    await readAnswer(modern(call("finish", 2)))

    expect((await answering).headers.get("content-type")).toBe("application/json")
  })
})

describe("a connection", () => {
  it("is kept longer than a load balancer keeps it, or as configured", async () => {
    const servers = [await serveWire(), await serveWire({ keepAliveMs: 7_000 })]

    expect(servers.map(({ server }) => server.keepAliveTimeout)).toEqual([650_000, 7_000])
    const answers = await Promise.all(servers.map(({ url }) => fetch(url, { method: "OPTIONS" })))
    expect(answers[1]?.headers.get("keep-alive")).toBe("timeout=7")
  })

  it("may use HTTP/2, whose host is in another header", async () => {
    const { adapter, handler } = serveHandler()
    const server = createSecureServer((request, response) => {
      // Only its common part with `node:http` is used, as in Vite.
      void handler.handle(request as never, response as never)
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const { port } = server.address() as AddressInfo // It listens at a port.
    onTestFinished(() => void server.close())
    const ask = (authority: string) => askOverHttp2(port, authority)

    expect(await ask("localhost")).toBe(200)
    expect(await ask("evil.example")).toBe(403)
    expect(adapter.ledger.counts().stream).toBe(0)
  })
})

describe("a page", () => {
  it("may send the application's headers, and no other custom ones", async () => {
    const { url } = await serveWire({ allowedHeaders: ["X-Tenant"], allowedOrigins: ["https://app.example"] })
    const headers = { origin: "https://app.example", "access-control-request-headers": "x-tenant, x-other" }

    const preflight = await fetch(url, { method: "OPTIONS", headers })

    const allowed = preflight.headers.get("access-control-allow-headers")?.split(", ")
    expect(allowed).toContain("x-tenant")
    expect(allowed).not.toContain("x-other")
  })
})

describe("a client that fills a shared limit", () => {
  const byHeader: HttpOptions = { principal: (head) => ({ id: head.headers.get("x-who") ?? "nobody" }) }

  it("loses sessions of its own, and nobody else does", async () => {
    const { post, open } = await serveWire({ ...byHeader, maxSessions: 5 })
    const ann = await open("2025-11-25", {}, { "x-who": "ann" })
    const opening = { id: 0, method: "initialize", params: introduce("2025-11-25") }

    for (let opened = 0; opened < 30; opened += 1) await post(opening, { headers: { "x-who": "bob" } })

    expect((await readAnswer(ann.send({ id: 1, method: "ping" }))).status).toBe(200)
  })

  it("loses listen streams of its own, and nobody else does", async () => {
    const { modern, adapter } = await serveWire({ ...byHeader, maxTotalListens: 4 })
    const hear = (who: string) =>
      modern(listen({ toolsListChanged: true }), { headers: { "x-who": who } }).then((response) => {
        onTestFinished(() => response.body?.cancel().catch(() => {}))
        return response
      })
    const ann = await hear("ann")
    const bobs = [await hear("bob"), await hear("bob"), await hear("bob")]

    const cid = await hear("cid")
    const another = await hear("bob")

    expect([ann.status, ...bobs.map(({ status }) => status), cid.status, another.status]).toEqual([
      200, 200, 200, 200, 200, 503,
    ])
    expect(await bobs[0]?.text()).toContain('"resultType":"complete"')
    expect(adapter.ledger.counts().stream).toBe(4)
  })

  it("is refused too many subscriptions, and holds nothing for missing resources", async () => {
    const { modern } = await serveWire()
    const uris = (count: number) => Array.from({ length: count }, (_, index) => `agentic://board/nothing-${index}`)

    const many = await readAnswer(modern(listen({ resourceSubscriptions: uris(5_000) })))
    const unknown = modern(listen({ resourceSubscriptions: [...uris(500), "agentic://board/count"] }))
    const acknowledged = await readMessages(await unknown).next()

    expect(many).toMatchObject({ status: 400, error: { code: -32600 } })
    expect(acknowledged.value?.params?.["notifications"]).toEqual({ resourceSubscriptions: ["agentic://board/count"] })
    await (await unknown).body?.cancel().catch(() => {})
  })
})

describe("a server that closes", () => {
  it.each(["legacy", "modern"] as const)("answers what it has to stop, and says why, %s", async (era) => {
    const obey = action({
      description: "Work until told to stop",
      execute: (_, { signal }) =>
        new Promise<never>((_resolve, reject) => {
          signal.addEventListener("abort", () => reject(signal.reason))
        }),
    })
    const adapter = createMcpAdapter(createAgenticService({ name: "test", actions: { obey } }))
    const server = await serveHttp(adapter, { port: 0, drainMs: 50 })
    onTestFinished(() => server.close().finally(adapter.close))
    const { modern, open } = createWire(server.url)
    const send = era === "modern" ? modern : (await open()).send
    const answer = readAnswer(send(call("obey")))
    await expect.poll(() => adapter.ledger.counts().call).toBe(1)

    const closed = server.close()

    expect(JSON.stringify((await answer).result)).toContain("the server is closing")
    expect(await answer).toMatchObject({ id: 1, status: 200, result: { isError: true } })
    await closed
  })

  it("accepts a person's answer in the modern era, and runs the waiting call", async () => {
    const done: string[] = []
    const clear = action({ description: "Clear", confirm: () => "Clear it?", execute: () => void done.push("clear") })
    const slow = createDeferred()
    const wait = action({ description: "Wait", execute: () => slow.promise })
    const adapter = createMcpAdapter(createAgenticService({ name: "test", actions: { clear, wait } }))
    const server = await serveHttp(adapter, { port: 0 })
    onTestFinished(() => server.close().finally(adapter.close))
    const { modern } = createWire(server.url)
    const able = { "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} } } }
    const asked = await readAnswer(modern({ ...call("clear"), params: { name: "clear", _meta: able } }))
    const waiting = readAnswer(modern(call("wait", 2)))
    await expect.poll(() => adapter.ledger.counts().call).toBe(1)

    const closed = server.close()
    const fresh = await readAnswer(modern(call("clear", 3)))
    const [key = ""] = Object.keys(Object(asked.result?.["inputRequests"]))
    const answered = await readAnswer(
      modern({
        ...call("clear", 4),
        params: {
          name: "clear",
          _meta: able,
          requestState: asked.result?.["requestState"],
          inputResponses: { [key]: { action: "accept", content: { accept: true, confirm: true, confirmed: true } } },
        },
      }),
    )
    slow.resolve()

    expect(fresh.status).toBe(503)
    expect(answered).toMatchObject({ status: 200 })
    expect(answered.result?.["isError"] ?? false).toBe(false)
    expect(done).toEqual(["clear"])
    await waiting
    await closed
  })
})

describe("the log", () => {
  it("has one line a minute per client, without the content of its requests", async () => {
    const clock = createClock()
    const { url, adapter } = await serveWire(
      { authenticate: () => ({ status: 401, headers: {}, body: "" }) },
      { clock },
    )
    const lines: string[] = []
    adapter.events.subscribe((event) => event.type === "diagnostic" && lines.push(JSON.stringify(event.diagnostic)))

    const ask = () =>
      fetch(`${url}?token=secret`, { method: "POST", headers: { "x-secret": "secret" }, body: "secret" })
    for (let asked = 0; asked < 20; asked += 1) await ask()
    const before = lines.length
    clock.advance(60_001)
    await ask()

    expect([before, lines.length]).toEqual([1, 2])
    expect(lines.join("")).not.toContain("secret")
  })

  it("has one line for bodies that break off", async () => {
    const { url, adapter } = await serveWire()
    const lines: string[] = []
    adapter.events.subscribe((event) => event.type === "diagnostic" && lines.push(event.diagnostic.message))
    const breakOff = async () => {
      const controller = new AbortController()
      const body = new ReadableStream({ start: (out) => out.enqueue(new TextEncoder().encode("{")) })
      const headers = { "content-type": "application/json" }
      const asked = fetch(`${url}?token=secret`, {
        method: "POST",
        headers,
        body,
        signal: controller.signal,
        duplex: "half",
      })
      await new Promise((resolve) => setImmediate(resolve))
      controller.abort()
      await asked.catch(() => {})
    }

    for (let asked = 0; asked < 10; asked += 1) await breakOff()
    await fetch(url)

    expect(lines.length).toBeLessThanOrEqual(1)
    expect(lines.join("")).not.toContain("secret")
  })
})

function serveHandler() {
  const adapter = createMcpAdapter(createBoard().service)
  const handler = createNodeHandler(adapter)
  onTestFinished(() => handler.close().finally(adapter.close))
  return { adapter, handler }
}

/** Returns the status of a list request for a host name. */
function askOverHttp2(port: number, authority: string): Promise<number> {
  const session = connectHttp2(`http://127.0.0.1:${port}`)
  const body = JSON.stringify({ jsonrpc: "2.0", id: 0, method: "initialize", params: introduce("2025-11-25") })
  const own = { ":authority": authority, ":method": "POST", ":path": "/mcp", "content-type": "application/json" }
  return new Promise((resolve, reject) => {
    const stream = session.request(own)
    stream.on("response", (headers) => resolve(Number(headers[":status"]))).on("error", reject)
    stream.resume().on("close", () => session.close())
    stream.end(body)
  })
}
