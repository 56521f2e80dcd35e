import { describe, expect, it, onTestFinished, vi } from "vitest"
import { createHttpGate, type SiteOptions, toFetchHandler, type Visitor } from "../fetch.js"
import { apiKeys } from "./auth.js"
import { createEmptyAdapter, toRequest } from "./requests.fixture.js"

/** Creates a gate before a custom endpoint and records its reports. */
function guarded(serve: (visitor: Visitor) => Promise<void>, options: SiteOptions = {}) {
  const adapter = createEmptyAdapter()
  onTestFinished(adapter.close)
  const diagnostics: unknown[] = []
  adapter.events.subscribe((event) => {
    if (event.type === "diagnostic") diagnostics.push(event.diagnostic)
  })
  const gate = createHttpGate(adapter, options, serve)
  return { adapter, gate, diagnostics, fetch: toFetchHandler({ ...gate, close: gate.idle }).fetch }
}

const echo = async ({ readBody, client, send }: Visitor): Promise<void> => {
  const read = await readBody()
  send(read.ok ? { status: 200, body: JSON.stringify([client, read.body]) } : read.answer)
}

describe("createHttpGate", () => {
  it("admits a known caller and passes its principal and body on", async () => {
    const { fetch } = guarded(echo, { authenticate: apiKeys(new Map([["key-of-ann", { id: "ann" }]])) })

    const response = await fetch(toRequest("POST", { "x-api-key": "key-of-ann" }, { a: 1 }))

    expect(await response.json()).toEqual(["ann", { a: 1 }])
  })

  it.each([
    ["another host", { host: "evil.example" }, 403],
    ["another origin", { origin: "https://evil.example" }, 403],
    ["no key", {}, 401],
  ])("refuses %s, and reads nothing of it", async (...[, headers, status]) => {
    const { fetch } = guarded(echo, { authenticate: apiKeys(new Map()) })
    const request = toRequest("POST", headers, {})

    expect((await fetch(request)).status).toBe(status)
    expect(request.bodyUsed).toBe(false)
  })

  it.each([
    ["is not JSON", "{", "not JSON"],
    ["is no UTF-8", new Uint8Array([0x22, 0xff, 0x22]), "not JSON in UTF-8"],
    ["is too deep", "[[[]]]", "at most 2 levels"],
    ["is too wide", "[1,2,3,4,5,6,7,8,9,10,11]", "at most 10"],
    ["is too large", `"${"x".repeat(100)}"`, "at most 100 bytes"],
  ])("tells the operator once a minute that a body %s", async (...[, body, reason]) => {
    const { fetch, diagnostics } = guarded(echo, { maxBodyDepth: 2, maxBodyBytes: 100, maxBodyValues: 10 })
    const headers = { host: "localhost", "content-type": "application/json" }
    const toPost = () => new Request("http://localhost/", { method: "POST", headers, body })

    await fetch(toPost())
    await fetch(toPost())

    expect(diagnostics).toMatchObject([{ code: "body_refused", message: expect.stringContaining(reason) }])
  })

  it("reports an endpoint's error, and answers 500 without its message", async () => {
    const { fetch, diagnostics } = guarded(() => Promise.reject(new Error("hunter2")))

    const response = await fetch(toRequest("POST", {}, {}))

    expect([response.status, await response.text()]).toEqual([500, expect.not.stringContaining("hunter2")])
    expect(diagnostics).toMatchObject([{ code: "handler_failed", cause: { message: "hunter2" } }])
  })

  it("counts open streams and resolves once all have ended", async () => {
    let end = (): void => {}
    const { adapter, fetch, gate } = guarded(async ({ stream }) => {
      const events = stream()
      events.write("data: 1\n\n")
      end = events.end
    })

    const response = await fetch(toRequest("POST", {}, {}))
    expect(adapter.ledger.counts().stream).toBe(1)
    end()

    expect(await response.text()).toBe("data: 1\n\n")
    await gate.idle()
    expect(adapter.ledger.counts()).toMatchObject({ stream: 0, timer: 0 })
  })

  it("drops a client's largest request if the client exceeds its byte limit", async () => {
    const waiting: Visitor[] = []
    let all = (): void => {}
    const here = new Promise<void>((resolve) => {
      all = resolve
    })
    const wait = async (visitor: Visitor) => {
      await visitor.readBody()
      if (waiting.push(visitor) === 3) all()
    }
    const { fetch, diagnostics } = guarded(wait, { maxClientBytes: 1_000, maxHeldBytes: 10_000 })
    const post = (length: number, remoteAddress: string) =>
      fetch(
        toRequest(
          "POST",
          {},
          "x"
            .repeat(length)
            .padStart(length + 1, '"')
            .padEnd(length + 2, '"'),
        ),
        { remoteAddress },
      )

    const heaviest = post(800, "192.0.2.1")
    const other = post(900, "192.0.2.2")
    const later = post(300, "192.0.2.1")

    expect((await heaviest).status).toBe(429)
    await here
    for (const visitor of waiting) visitor.send({ status: 200 })
    expect([(await other).status, (await later).status]).toEqual([200, 200])
    expect(diagnostics).toMatchObject([{ code: "held_limit" }])
  })
})

describe("a stream", () => {
  const many = "x".repeat(2 ** 19)

  it("delivers any number of bytes to a client that reads, and an event above the limit", async () => {
    const { fetch } = guarded(async ({ stream }) => {
      const events = stream()
      events.write(many.repeat(6))
      events.end()
    })

    expect(await (await fetch(toRequest("POST", {}, {}))).text()).toHaveLength(6 * many.length)
  })

  it("queues events above the limit for a late reader, in order, and ends after them", async () => {
    const { fetch, diagnostics } = guarded(async ({ stream }) => {
      const events = stream()
      for (let count = 0; count < 8; count += 1) events.write(`${count}${many}`)
      events.end()
    })

    const text = await (await fetch(toRequest("POST", {}, {}))).text()

    expect(text.replaceAll("x", "")).toBe("01234567")
    expect(diagnostics).toEqual([])
  })

  it("queues a notice once for a late reader", async () => {
    const { fetch } = guarded(async ({ stream }) => {
      const events = stream()
      events.write(many)
      for (let count = 0; count < 3; count += 1) {
        events.notify("same", (json) => `${json} `)
        events.notify(`other ${count}`, (json) => `${json} `)
      }
      events.end()
    })

    const text = await (await fetch(toRequest("POST", {}, {}))).text()

    expect(text.slice(many.length)).toBe("same other 0 other 1 other 2 ")
  })

  it.each([
    ["reads nothing for 10 s", 4, "read nothing for 10 s"],
    ["leaves more than 16 MB waiting", 40, "left more than 16777216 bytes"],
  ])("drops a peer that %s, and says so", async (...[, count, reason]) => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
    onTestFinished(() => void vi.useRealTimers())
    const ends: string[] = []
    let disconnected = 0
    const { fetch, diagnostics, adapter } = guarded(async ({ stream, onEnd }) => {
      onEnd((end) => ends.push(end))
      const events = stream()
      for (let written = 0; written < count; written += 1) events.write(many)
    })
    const response = await fetch(toRequest("POST", {}, {}), { disconnect: () => disconnected++ })

    vi.advanceTimersByTime(10_000)

    await expect(response.text()).rejects.toThrow("unread")
    expect([ends, disconnected]).toEqual([["gone"], 1])
    expect(diagnostics).toMatchObject([{ code: "peer_dropped", message: expect.stringContaining(reason) }])
    expect(adapter.ledger.counts()).toMatchObject({ stream: 0, timer: 0 })
  })

  it("ends at once when the client disconnects, even without a write", async () => {
    const peer = new AbortController()
    const ended = new Promise<string>((resolve) => {
      const { fetch } = guarded(async ({ stream, onEnd }) => {
        onEnd(resolve)
        stream()
        peer.abort()
      })
      void fetch(new Request(toRequest("POST", {}, {}), { signal: peer.signal }))
    })

    expect(await ended).toBe("gone")
  })

  it("ends when the client stops reading", async () => {
    let ended = (_: string): void => {}
    const end = new Promise<string>((resolve) => {
      ended = resolve
    })
    const { fetch } = guarded(async ({ stream, onEnd }) => {
      onEnd(ended)
      stream().write("data: 1\n\n")
    })

    await (await fetch(toRequest("POST", {}, {}))).body?.cancel()

    expect(await end).toBe("gone")
  })
})
