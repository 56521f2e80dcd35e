import { type ActionDeclaration, action, createAgenticService } from "@x/agentic-service"
import { describe, expect, it, onTestFinished } from "vitest"
import { type HttpOptions, serveHttp } from "../src/border/http.js"
import { createMcpAdapter } from "../src/create-adapter.js"
import { createClock } from "./support/lab.mjs"
import { createWire, introduce, type Message, readAnswer, readMessages, serveWire } from "./support/wire.js"

const call = (name: string, id: number | string = 1, meta?: object): Message => ({
  id,
  method: "tools/call",
  params: { name, ...(meta && { _meta: meta }) },
})
const listening = { accept: "text/event-stream" }

describe("a legacy session", () => {
  it("answers each POST with its own answer, whatever ids are in flight", async () => {
    const { open } = await serveWire()
    const { send } = await open()

    const working = send(call("work"))
    const refused = readAnswer(send(call("refuse")))
    const added = readAnswer(send(call("add")))

    expect(await refused).toMatchObject({ id: 1, result: { isError: true } })
    expect(await added).toMatchObject({ id: 1, result: { structuredContent: { result: 1 } } })
    await readAnswer(send(call("finish")))
    expect(await readAnswer(working)).toMatchObject({ id: 1, result: { content: expect.anything() } })
  })

  it("sends progress to its own POST, even if another has the same id and token", async () => {
    const { open } = await serveWire()
    const { send } = await open()

    const first = readMessages(await send(call("work", 1, { progressToken: "same" })))
    const second = readMessages(await send(call("wait", 1, { progressToken: "same" })))
    const heard = [(await first.next()).value?.params?.["total"], (await second.next()).value?.params?.["total"]]

    expect(heard).toEqual([2, undefined])
    await send({ method: "notifications/cancelled", params: { requestId: 1 } })
    await readAnswer(send(call("finish", 2)))
  })

  it("answers requests in flight when it ends, saying so", async () => {
    const { open, url } = await serveWire()
    const { send, headers } = await open()
    const working = await send(call("work", 7, { progressToken: "w" }))

    await fetch(url, { method: "DELETE", headers })

    expect(await answersOf(working)).toMatchObject([{ id: 7, error: { code: -32001 } }])
  })

  it("cancels all requests with a shared id, and no others", async () => {
    const { open } = await serveWire()
    const { send } = await open()
    const [one, two, other] = await Promise.all([1, 1, 2].map((id) => send(call("wait", id, { progressToken: id }))))

    await send({ method: "notifications/cancelled", params: { requestId: 1 } })

    for (const response of [one, two]) expect(await answersOf(response)).toEqual([])
    await send({ method: "notifications/cancelled", params: { requestId: 2 } })
    expect(await answersOf(other)).toEqual([])
  })

  it("keeps sending when a proxy holds an earlier stream open", async () => {
    const { open, url, toggle } = await serveWire({}, { notices: { windowMs: 0 } })
    const { headers } = await open()
    const kept = await fetch(url, { headers: { ...headers, ...listening } })
    const newer = await fetch(url, { headers: { ...headers, ...listening } })

    toggle()

    expect([kept.status, newer.status]).toEqual([200, 200])
    expect((await readMessages(newer).next()).value?.method).toBe("notifications/tools/list_changed")
  })

  it("sends over the earlier stream again when the newest is closed", async () => {
    const { open, url, toggle, adapter } = await serveWire({}, { notices: { windowMs: 0 } })
    const { headers } = await open()
    const kept = readMessages(await fetch(url, { headers: { ...headers, ...listening } }))
    const gone = new AbortController()
    await fetch(url, { headers: { ...headers, ...listening }, signal: gone.signal })
    gone.abort()
    await expect.poll(() => adapter.ledger.counts().stream).toBe(1)

    toggle()

    expect((await kept.next()).value?.method).toBe("notifications/tools/list_changed")
  })

  it("closes its oldest stream beyond the limit", async () => {
    const { open, url, adapter, toggle } = await serveWire({}, { notices: { windowMs: 0 } })
    const { headers } = await open()
    const streams: Response[] = []
    for (let opened = 0; opened < 12; opened += 1) {
      streams.push(await fetch(url, { headers: { ...headers, ...listening } }))
    }

    const [oldest, newest] = [streams[0], streams.at(-1)]
    toggle()

    expect(await oldest?.text()).not.toContain("data: {")
    expect((await readMessages(newest ?? Response.error()).next()).value?.method).toMatch(/list_changed$/)
    expect(adapter.ledger.counts().stream).toBeLessThanOrEqual(8)
  })

  it("asks its person even after resting, under a new id", async () => {
    const clear = action({
      description: "Clear",
      confirm: () => "Clear it?",
      output: { type: "string" },
      execute: () => "cleared",
    })
    const { open, rest } = await serveResting({ clear })
    const { send } = await open("2025-11-25", { elicitation: {} })
    const ask = async () => {
      const messages = readMessages(await send(call("clear")))
      const { id = "", method, params } = (await messages.next()).value ?? {}
      const fields = Object.keys(Object(params?.["requestedSchema"]).properties)
      const content = Object.fromEntries(fields.map((field) => [field, true]))
      await send({ id, result: { action: "accept", content } })
      return { id, method, answer: (await messages.next()).value }
    }

    const first = await ask()
    rest()
    const second = await ask()

    for (const { method, answer } of [first, second]) {
      expect(method).toBe("elicitation/create")
      expect(answer).toMatchObject({ id: 1, result: { structuredContent: expect.anything() } })
    }
    expect(second.id).not.toBe(first.id)
  })

  it("keeps its log level while it rests", async () => {
    const say = action({
      description: "Say",
      execute(_, { log }) {
        log?.("info", "quiet")
        log?.("error", "loud")
      },
    })
    const { open, rest } = await serveResting({ say }, { extension: { capabilities: () => ({ logging: {} }) } })
    const { send } = await open()
    await readAnswer(send({ id: 1, method: "logging/setLevel", params: { level: "error" } }))

    rest()
    const heard: unknown[] = []
    for await (const { params } of readMessages(await send(call("say")))) heard.push(params?.["data"])

    expect(heard).toEqual(["loud", undefined])
  })

  it("ends the stream of a cancelled call, and is idle then", async () => {
    const clock = createClock()
    const { open, adapter } = await serveWire({ sessionIdleMs: 1_000 }, { clock })
    const { send } = await open()
    const waiting = await send(call("wait", 7, { progressToken: 1 }))

    await send({ method: "notifications/cancelled", params: { requestId: 7 } })

    expect(await answersOf(waiting)).toEqual([])
    await expect.poll(() => adapter.ledger.counts().stream).toBe(0)
    clock.advance(1_001)
    await expect.poll(() => adapter.ledger.counts().session).toBe(0)
  })

  it.each([
    ["*/*", "application/json"],
    ["application/json", "application/json"],
    ["APPLICATION/JSON, Text/Event-Stream", "application/json"],
    ["text/event-stream", "text/event-stream"],
    ["application/*;q=0.8", "application/json"],
    ["image/png", "application/json"],
    ["", "application/json"],
    [undefined, "application/json"],
  ])("is served where %j is accepted", async (accept, type) => {
    const { open, post } = await serveWire()
    const { send } = await open()

    const opened = await post({ id: 0, method: "initialize", params: introduce("2025-11-25") }, { headers: { accept } })
    const response = await send({ id: 1, method: "ping" }, { headers: { accept } })

    expect([opened.status, response.status, response.headers.get("content-type")]).toEqual([200, 200, type])
    expect(await readAnswer(Promise.resolve(response))).toMatchObject({ id: 1, result: {} })
  })

  it.each(["/mcp/", "/mcp//", "/mcp/?key=1"])("is served at %s, as at /mcp", async (path) => {
    const { url } = await serveWire()
    const { open } = createWire(new URL(path, url).href)

    const { send, session } = await open()

    expect(session).not.toBe("")
    expect(await readAnswer(send({ id: 1, method: "ping" }))).toMatchObject({ status: 200, result: {} })
  })

  it("lists the allowed methods when it rejects one", async () => {
    const { url } = await serveWire()

    const answers = await Promise.all(["PUT", "PATCH", "HEAD", "QUERY"].map((method) => fetch(url, { method })))

    expect(answers.map(({ status, headers }) => [status, headers.get("allow")])).toEqual(
      answers.map(() => [405, "GET, POST, DELETE"]),
    )
  })
})

describe("a legacy request that is wrong", () => {
  const info = introduce("2025-11-25")

  it.each([
    ["no clientInfo", { ...info, clientInfo: undefined }, "/params/clientInfo"],
    ["a clientInfo without a version", { ...info, clientInfo: { name: "a" } }, "/params/clientInfo/version"],
    ["no capabilities", { ...info, capabilities: undefined }, "/params/capabilities"],
    ["a number for a version", { ...info, protocolVersion: 1 }, "/params/protocolVersion"],
    ["no parameters", undefined, "/params/protocolVersion"],
  ])("is told so in an initialize with %s, and opens no session", async (_, params, at) => {
    const { post, adapter } = await serveWire()

    const response = await post({ id: "i", method: "initialize", ...(params && { params }) })

    expect(response.headers.has("mcp-session-id")).toBe(false)
    expect(await readAnswer(Promise.resolve(response))).toMatchObject({
      id: "i",
      error: { code: -32602, data: { at } },
    })
    expect(adapter.ledger.counts().session).toBe(0)
  })

  it.each([
    ["tools/call", { name: "add", arguments: [1] }, "/params/arguments"],
    ["tools/call", { name: 5 }, "/params/name"],
    ["tools/call", {}, "/params/name"],
    ["tools/list", { cursor: 3 }, "/params/cursor"],
    ["resources/read", { uri: {} }, "/params/uri"],
    ["resources/subscribe", { uri: null }, "/params/uri"],
  ])("%s %j is told so in one sentence with the place, in both eras", async (method, params, at) => {
    const { open, modern } = await serveWire()
    const { send } = await open()

    const answers = await Promise.all([
      readAnswer(send({ id: 1, method, params })),
      readAnswer(modern({ method, params })),
    ])

    for (const { error, id } of method === "resources/subscribe" ? answers.slice(0, 1) : answers) {
      expect(id).toBe(1)
      expect(error).toMatchObject({ code: -32602, data: { at } })
      expect(error?.message).toMatch(/^"params[^\n]*: expected an? [^\n]*$/)
      expect(error?.message).not.toMatch(/invalid_type|invalid_union|Invalid input/)
    }
  })
})

describe("an answer's event id, for resuming clients (2025-11-25, basic/transports)", () => {
  it.each(["2025-03-26", "2025-06-18", "2025-11-25"])("is on no answer that comes whole, in %s", async (version) => {
    const { open } = await serveWire()
    const { send } = await open(version)
    const headers = { accept: "text/event-stream" }

    const [json, events] = await Promise.all([send(call("add")), send(call("refuse"), { headers })])

    expect(json.headers.get("content-type")).toBe("application/json")
    expect(await events.text()).toMatch(version === "2025-11-25" ? /^id: / : /^event: message\ndata: /)
  })

  it.each(["2025-03-26", "2025-06-18"])("is on no stream of %s, which nobody resumes", async (version) => {
    const { open, url, toggle } = await serveWire({}, { notices: { windowMs: 0 } })
    const { send, headers } = await open(version)

    const working = await send(call("work", 1, { progressToken: "w" }))
    const notices = await fetch(url, { headers: { ...headers, ...listening } })
    toggle()
    await readAnswer(send(call("finish", 2)))
    const texts = [await working.text()]
    await fetch(url, { method: "DELETE", headers })
    texts.push(await notices.text())

    expect(texts.join("")).toContain("notifications/tools/list_changed")
    expect(texts.join("")).not.toMatch(/^(id|retry):/m)
  })
})

/** Returns the messages in a response that are results or errors. */
async function answersOf(response: Response | undefined): Promise<readonly Message[]> {
  const answers: Message[] = []
  if (response !== undefined)
    for await (const message of readMessages(response)) if (!message.method) answers.push(message)
  return answers
}

/** Serves actions on a clock that the test advances, until idle sessions have released what they can recreate. */
async function serveResting(actions: Readonly<Record<string, ActionDeclaration>>, options: HttpOptions = {}) {
  const clock = createClock()
  const adapter = createMcpAdapter(createAgenticService({ name: "test", actions }), { clock })
  // An answer's waits would depend on the test's clock.
  const server = await serveHttp(adapter, { port: 0, results: { catchUp: false }, ...options })
  onTestFinished(() => server.close().finally(adapter.close))
  const rest = (): void => {
    for (let beat = 0; beat < 3; beat += 1) clock.advance(2_500)
  }
  return { ...createWire(server.url), rest }
}
