import { action, createAgenticService, fail, ServiceError, toAgenticService } from "@x/agentic-service"
import { type AdapterEvent, createMcpAdapter, type McpAdapterOptions } from "@x/mcp-adapter"
import { asyncScheduler, NEVER, observeOn, Subject, throwError } from "rxjs"
import { describe, expect, it, onTestFinished, vi } from "vitest"
import type { Answer } from "../answer.js"
import type { ChatOptions } from "../chat-options.js"
import { createChatService } from "../create-chat-service.js"
import { type ChatHttpOptions, createChatFetchHandler } from "./fetch.js"

const keys = new Map([
  ["key-of-ann", { id: "ann" }],
  ["key-of-bob", { id: "bob" }],
])

interface Options {
  readonly chat?: Partial<ChatOptions>
  readonly http?: Partial<ChatHttpOptions>
  readonly adapter?: McpAdapterOptions
}

/** Serves an agent, and returns functions to ask it. */
function serve(answer: Answer | ChatOptions["respond"], options: Options = {}) {
  const respond: ChatOptions["respond"] = typeof answer === "function" ? answer : () => answer
  // The tests combine parts of several forms.
  const chat = { name: "guide", description: "Answers", respond, ...options.chat } as ChatOptions
  const adapter = createMcpAdapter(createChatService(chat), options.adapter)
  const events: AdapterEvent[] = []
  adapter.events.subscribe((event) => events.push(event))
  const handler = createChatFetchHandler(adapter, { keys, ...options.http })
  onTestFinished(() => handler.close().finally(adapter.close))
  const send = (body: unknown, headers: Readonly<Record<string, string | undefined>> = {}, signal?: AbortSignal) => {
    const all = { host: "localhost", "content-type": "application/json", ...known, ...headers }
    const given = Object.entries(all).filter((header): header is [string, string] => header[1] !== undefined)
    const text = typeof body === "string" ? body : JSON.stringify(body)
    const init = { method: "POST", headers: given, body: text, ...(signal && { signal }) }
    return handler.fetch(new Request("http://localhost/v1/chat", init))
  }
  return {
    adapter,
    handler,
    events,
    send,
    ask: (args: object = {}, id = "req_123") => send(rpc({ ...hello, ...args }, id)),
  }
}

const known = { "x-api-key": "key-of-ann", "x-session-id": "session_123" }
const hello = { messages: [{ role: "user", content: "hello" }] }
const rpc = (args: unknown, id: unknown = "req_123") => ({
  jsonrpc: "2.0",
  method: "tools/call",
  params: { name: "chat", arguments: args },
  id,
})

async function* generate(...pieces: string[]): AsyncGenerator<string> {
  yield* pieces
}

/** Returns the data of each event. */
async function dataOf(response: Response): Promise<readonly unknown[]> {
  const events = (await response.text()).split("\n\n").filter(Boolean)
  return events.map((event) => {
    const data = event.replace(/^data: /, "")
    return data === "[DONE]" ? data : JSON.parse(data)
  })
}

const chunk = (text: string) => ({ jsonrpc: "2.0", result: { chunk: text }, id: "req_123" })

describe("createChatFetchHandler", () => {
  it("answers with the message and the sources", async () => {
    const { ask } = serve([
      "Hails there",
      { type: "source", title: "Manners", uri: "https://example.com/manners" },
      { type: "source", text: "page 9" },
    ])

    const response = await ask({ stream: false })

    expect([response.status, response.headers.get("content-type")]).toEqual([200, "application/json"])
    expect(await response.json()).toEqual({
      jsonrpc: "2.0",
      result: {
        output: { messages: [{ role: "assistant", content: "Hails there" }] },
        sources: ["https://example.com/manners", "page 9"],
      },
      id: "req_123",
    })
  })

  it("answers with chunks and [DONE] if a stream is requested", async () => {
    const { ask, adapter } = serve(generate("Hails", " there"))

    const response = await ask({ stream: true })

    expect(response.headers.get("content-type")).toBe("text/event-stream")
    expect(await dataOf(response)).toEqual([chunk("Hails"), chunk(" there"), "[DONE]"])
    expect(adapter.ledger.counts()).toMatchObject({ stream: 0, call: 0, timer: 0 })
  })

  it("sends sources after the chunks, and the text of a kept conversation once", async () => {
    const answer = ["Hails", { type: "source", uri: "https://example.com/" }] as const
    const { ask } = serve(answer, { chat: { conversation: "kept" } })

    expect(await dataOf(await ask({ stream: true }))).toEqual([
      chunk("Hails"),
      { jsonrpc: "2.0", result: { sources: ["https://example.com/"] }, id: "req_123" },
      "[DONE]",
    ])
  })

  it("serves any tool of that name, even one that does not stream its text", async () => {
    const input = { type: "object" } as const
    const chat = action({ description: "Answers", input, output: { type: "string" }, execute: () => "Hails there" })
    const adapter = createMcpAdapter(createAgenticService({ name: "own", actions: { chat } }))
    const handler = createChatFetchHandler(adapter, { keys })
    onTestFinished(() => handler.close().finally(adapter.close))
    const headers = { host: "localhost", "content-type": "application/json", ...known }
    const body = JSON.stringify(rpc({ stream: true }))

    const response = await handler.fetch(new Request("http://localhost/v1/chat", { method: "POST", headers, body }))

    expect(await dataOf(response)).toEqual([chunk("Hails there"), "[DONE]"])
  })

  it("emits events for calls like those of any client", async () => {
    const { ask, events } = serve("yes")

    await ask()

    expect(events).toMatchObject([
      { type: "call-started", name: "chat", client: "ann", principal: { id: "ann" } },
      { type: "call-settled", name: "chat", outcome: { ok: true } },
    ])
    expect(JSON.stringify(events)).not.toContain("key-of")
  })
})

describe("errors", () => {
  it.each<[string, unknown, number, number]>([
    ["another method", { ...rpc(hello), method: "invalid_method" }, 200, -32601],
    ["another tool", { ...rpc(hello), params: { name: "paint", arguments: hello } }, 200, -32601],
    ["no parameters", { jsonrpc: "2.0", method: "tools/call", id: "req_123" }, 200, -32602],
    ["no messages", rpc({ stream: false }), 200, -32602],
    ["an unknown role", rpc({ messages: [{ role: "wizard", content: "hello" }] }), 200, -32602],
    ["an unknown role, streamed", rpc({ messages: [{ role: "wizard", content: "hello" }], stream: true }), 200, -32602],
    ["a stream that is not a boolean", rpc({ ...hello, stream: "yes" }), 200, -32602],
    ["a batch", [rpc(hello)], 400, -32600],
    ["no id", { ...rpc(hello), id: undefined }, 400, -32600],
    ["text", "hello", 400, -32700],
    ["a message of 10 MB", rpc({ messages: [{ role: "user", content: "x".repeat(10_000_000) }] }), 413, -32000],
    ["a message of 1 MB", rpc({ messages: [{ role: "user", content: "x".repeat(1_000_000) }] }), 200, -32602],
  ])("answers %s with one error", async (...[, body, status, code]) => {
    const response = await serve("yes").send(body)

    const answer = await response.text()
    expect([response.status, JSON.parse(answer)]).toMatchObject([status, { error: { code } }])
    expect(answer.length).toBeLessThan(1_000)
  })

  it("names the unknown method", async () => {
    const response = await serve("yes").send({ ...rpc(hello), method: "invalid_method" })

    expect(await response.json()).toEqual({
      jsonrpc: "2.0",
      error: { code: -32601, message: "Method not found: invalid_method" },
      id: "req_123",
    })
  })

  it.each<[string, Record<string, string | undefined>, number]>([
    ["no key", { "x-api-key": undefined }, 401],
    ["another key", { "x-api-key": "key-of-eve" }, 401],
    ["no session", { "x-session-id": undefined }, 400],
    ["a session id that is too long", { "x-session-id": "s".repeat(300) }, 400],
    ["another host", { host: "evil.example" }, 403],
    ["a page of another origin", { origin: "https://evil.example" }, 403],
    ["a form", { "content-type": "text/plain" }, 415],
  ])("rejects a request with %s", async (_name, headers, status) => {
    const { send, events } = serve("yes")

    const response = await send(rpc(hello), headers)

    expect([response.status, await response.json()]).toMatchObject([status, { jsonrpc: "2.0", error: {} }])
    expect(events.filter(({ type }) => type !== "diagnostic")).toEqual([])
    expect(JSON.stringify(events)).not.toContain("key-of")
  })

  it("names the accepted method", async () => {
    const response = await serve("yes").handler.fetch(
      new Request("http://localhost/v1/chat", { headers: { host: "localhost", ...known } }),
    )

    expect([response.status, response.headers.get("allow")]).toEqual([405, "POST"])
  })

  it.each([
    ["reports why an agent failed", fail("no model", { code: "no_model", recovery: "start one" }), "no model"],
    [
      "hides the message of an unexpected error",
      throwError(() => new Error("hunter2")),
      expect.not.stringContaining("hunter2"),
    ],
  ])("%s", async (_name, answer, message) => {
    const { ask } = serve(answer)

    for (const stream of [false, true]) {
      expect(await (await ask({ stream })).json()).toMatchObject({ error: { code: -32603, message } })
    }
  })

  it("ends a stream with the error that occurred in it", async () => {
    const answer = async function* () {
      yield "Hails"
      throw new ServiceError("no model", { code: "no_model" })
    }

    expect(await dataOf(await serve(answer).ask({ stream: true }))).toEqual([
      chunk("Hails"),
      { jsonrpc: "2.0", error: { code: -32603, message: "no model", data: { code: "no_model" } }, id: "req_123" },
      "[DONE]",
    ])
  })

  it("has no chat if the adapter has none", async () => {
    const { ask } = serve("yes", { http: { tool: "guide__chat" } })

    expect(await (await ask()).json()).toMatchObject({ error: { code: -32601 } })
  })

  it("rejects invalid options by name", () => {
    expect(() => serve("yes", { http: { closeGraceMs: -1 } })).toThrow('option "closeGraceMs" is -1')
    expect(() => serve("yes", { http: { maxSessions: 0.5 } })).toThrow('option "maxSessions" is 0.5')
  })

  it("applies the limits of any client to a key", async () => {
    const { ask, handler } = serve(NEVER, { adapter: { calls: { running: 1, waiting: 0 } }, http: { closeGraceMs: 1 } })
    const running = ask()

    expect(await (await ask()).json()).toMatchObject({ error: { code: -32603, data: { code: "busy" } } })
    await handler.close()
    await running
  })
})

describe("sessions", () => {
  const count: ChatOptions["respond"] = ({ messages }) => String(messages.length)
  const kept = { chat: { conversation: "kept" } } as const
  const said = async (response: Response): Promise<string> => {
    const { result } = JSON.parse(await response.text())
    return result.output.messages[0].content
  }

  it("continue their own conversations", async () => {
    const { send } = serve(count, kept)
    const say = async (headers: Record<string, string>) => said(await send(rpc(hello), headers))

    expect([await say({}), await say({}), await say({ "x-session-id": "other" }), await say({})]).toEqual([
      "1",
      "3",
      "1",
      "5",
    ])
  })

  it("continue the first conversation of a service whose actions come later", async () => {
    const chat = createChatService({ name: "guide", description: "Answers", respond: count, conversation: "kept" })
    // Without declarations, nothing tells of an action before it comes.
    const { declared: _, ...undeclared } = chat
    const late = toAgenticService({ ...undeclared, actions: chat.actions.pipe(observeOn(asyncScheduler)) })
    const adapter = createMcpAdapter(late)
    const handler = createChatFetchHandler(adapter, { keys })
    onTestFinished(() => handler.close().finally(adapter.close))
    const headers = { host: "localhost", "content-type": "application/json", ...known }
    const say = () =>
      handler
        .fetch(new Request("http://localhost/v1/chat", { method: "POST", headers, body: JSON.stringify(rpc(hello)) }))
        .then(said)

    expect([await say(), await say()]).toEqual(["1", "3"])
  })

  it("of one client never push out another's", async () => {
    const { send } = serve(count, { ...kept, http: { maxSessionsPerClient: 2 } })
    const say = async (key: string, name: string) =>
      said(await send(rpc(hello), { "x-api-key": key, "x-session-id": name }))
    await say("key-of-bob", "mine")
    for (const name of ["1", "2", "3", "4"]) await say("key-of-ann", name)

    expect([await say("key-of-bob", "mine"), await say("key-of-ann", "4"), await say("key-of-ann", "1")]).toEqual([
      "3",
      "3",
      "1",
    ])
  })

  it("are separate for each key, whatever their name", async () => {
    const { send } = serve(count, kept)
    await send(rpc(hello))

    expect(await said(await send(rpc(hello), { "x-api-key": "key-of-bob" }))).toBe("1")
  })

  it("start one conversation, however many calls start at once", async () => {
    const { ask } = serve(count, kept)

    const first = await Promise.all(Array.from({ length: 3 }, async () => said(await ask())))

    expect(first.filter((text) => text === "1")).toHaveLength(1)
    expect(await said(await ask())).toBe("7")
  })

  it("start a new conversation if the agent has dropped theirs", async () => {
    const { send } = serve(count, { chat: { conversation: "kept", conversations: { max: 1 } } })
    await send(rpc(hello))
    await send(rpc(hello), { "x-session-id": "other" })

    expect(await said(await send(rpc(hello)))).toBe("1")
  })

  it("cannot be taken over with another client's handle", async () => {
    const { ask, adapter } = serve(count, kept)
    const answer = await adapter.call("chat", hello, { principal: { id: "bob" } })
    const outcome = answer.kind === "settled" ? answer.outcome : undefined
    const { conversation } = JSON.parse(JSON.stringify(outcome?.ok && outcome.value))

    const stolen = await ask({ conversation })

    expect(await stolen.json()).toMatchObject({ error: { code: -32603, data: { code: "unknown_conversation" } } })
  })
})

describe("leaving", () => {
  it("stops an agent whose client has left", async () => {
    const controller = new AbortController()
    const answer = new Subject<string>()
    const { send, adapter } = serve(answer)
    const response = await Promise.all([
      send(rpc({ ...hello, stream: true }), {}, controller.signal),
      until(() => answer.observed).then(() => answer.next("Hails")),
    ]).then(([response]) => response)
    const reader = response.body?.getReader()
    await reader?.read()

    await reader?.cancel()

    await until(() => !answer.observed)
    await until(() => adapter.ledger.counts().call === 0)
    expect(adapter.ledger.counts()).toMatchObject({ stream: 0, call: 0, timer: 0 })
  })

  it("disconnects a client that does not read", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
    onTestFinished(() => void vi.useRealTimers())
    const answer = new Subject<string>()
    const { ask, events } = serve(answer)
    const [response] = await Promise.all([
      ask({ stream: true }),
      until(() => answer.observed).then(async () => {
        answer.next("x".repeat(1_100_000))
        while (answer.observed) {
          answer.next("x")
          await turn()
          vi.advanceTimersByTime(1_000)
        }
      }),
    ])

    await until(() => !answer.observed)
    await expect(response.text()).rejects.toThrow()
    expect(events).toContainEqual(
      expect.objectContaining({ diagnostic: expect.objectContaining({ code: "peer_dropped" }) }),
    )
  })

  it("completes calls while it closes, and starts no more", async () => {
    const answer = new Subject<string>()
    const { ask, handler, adapter } = serve(answer)
    const running = ask()
    await until(() => answer.observed)

    const closing = [handler.close(), handler.close()]
    expect((await ask()).status).toBe(503)
    answer.next("Hails")
    answer.complete()
    await Promise.all(closing)

    expect(await (await running).json()).toMatchObject({ result: {} })
    expect(adapter.ledger.counts()).toMatchObject({ call: 0, timer: 0 })
  })

  it("stops calls that run too long while it closes", async () => {
    const { ask, handler } = serve(NEVER, { http: { closeGraceMs: 1 } })
    const running = ask()
    await turn()

    await handler.close()

    expect(await (await running).json()).toMatchObject({ error: { code: -32000, message: "the server is closing" } })
  })
})

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await turn()
}
