import { action, createAgenticService, fail, links, state } from "@x/agentic-service"
import { createMcpAdapter } from "@x/mcp-adapter"
import { BehaviorSubject, map } from "rxjs"
import { describe, expect, it, onTestFinished, vi } from "vitest"
import { createTestClient, type TestClientOptions } from "./create-test-client.js"

const text = { type: "object", properties: { text: { type: "string" } }, required: ["text"] } as const

/** Creates a to-do list in which each item is a service. */
function createTodo() {
  const items$ = new BehaviorSubject<readonly string[]>([])
  const some$ = items$.pipe(map((items) => items.length > 0))
  const release: (() => void)[] = []
  const todo = createAgenticService({
    name: "todo",
    states: {
      items: state({
        description: "What is to do",
        schema: { type: "array", items: { type: "string" } },
        value: items$,
      }),
      picture: state({ schema: {}, mediaType: "image/png", value: new Uint8Array([1, 2]) }),
      note: state({ schema: { type: "string" }, mediaType: "text/markdown", value: "# hello" }),
    },
    actions: {
      add: action({
        description: "Add an item",
        input: text,
        output: { type: "object", properties: { count: { type: "integer" } }, required: ["count"] },
        execute(input) {
          items$.next([...items$.value, input.text])
          return { count: items$.value.length }
        },
      }),
      undo: action({
        description: "Take the last item back",
        when: { is: some$, otherwise: "the list is empty" },
        execute: () => items$.next(items$.value.slice(0, -1)),
      }),
      clear: action({
        description: "Delete all",
        confirm: () => `Delete ${items$.value.length} items?`,
        execute: () => items$.next([]),
      }),
      order: action({
        description: "Order",
        confirm: () => "Order it?",
        ask: () => ({
          size: { message: "Which size?", schema: { type: "object", properties: { size: { type: "integer" } } } },
        }),
        execute: (_, { answers }) => ({ ordered: answers }),
      }),
      refuse: action({ description: "Never works", execute: () => fail("no", { code: "never" }) }),
      work: action({
        description: "Works in two steps",
        execute(_, { progress }) {
          progress({ progress: 1, total: 2, message: "half" })
          progress({ progress: 2, total: 2 })
        },
      }),
      wait: action({ description: "Waits", execute: () => new Promise<void>((resolve) => release.push(resolve)) }),
      hang: action({
        description: "Waits until it is told to stop",
        execute: (_, { signal }) => new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve())),
      }),
    },
    links: {
      each: links({
        description: "One for each item",
        of: items$,
        key: (item) => item,
        service: (item) =>
          createAgenticService({ name: item, states: { name: state({ schema: { type: "string" }, value: item }) } }),
      }),
    },
  })
  return {
    todo,
    items$,
    release: () => {
      for (const resolve of release) resolve()
    },
  }
}

async function open(options: TestClientOptions = {}) {
  const app = createTodo()
  const client = await createTestClient(app.todo, { timeoutMs: 2_000, ...options })
  onTestFinished(() => client.close())
  return { ...app, client }
}

describe.each(["modern", "legacy"] as const)("createTestClient, in the %s era", (era) => {
  it("connects in that era", async () => {
    const { client } = await open({ era })

    expect([client.era, client.client.getProtocolEra()]).toEqual([era, era])
  })

  it("sees what a model sees, as plain data", async () => {
    const { client, items$ } = await open({ era, adapter: { instructions: "Keep it short" } })
    items$.next(["tea"])

    const { instructions, tools, states } = await client.look()

    expect(instructions).toBe("Keep it short")
    expect(Object.keys(tools)).toEqual(await client.list())
    expect(tools["undo"]).toEqual({
      description: "Take the last item back",
      input: { type: "object", properties: {}, additionalProperties: false },
      hints: { destructiveHint: false },
    })
    expect(states).toEqual({
      "each/tea/name": { mimeType: "application/json", value: "tea" },
      items: { description: "What is to do", mimeType: "application/json", value: ["tea"] },
      note: { mimeType: "text/markdown", value: "# hello" },
      picture: { mimeType: "image/png", value: new Uint8Array([1, 2]) },
    })
  })

  it("sees the same data twice", async () => {
    const { client } = await open({ era })

    expect(await client.look()).toEqual(await client.look())
  })

  it("waits until a tool is listed, and until it is gone", async () => {
    const { client, items$ } = await open({ era })
    const listed = client.whenListed("undo")
    items$.next(["tea"])

    expect((await listed).description).toBe("Take the last item back")

    items$.next([])
    await client.whenGone("undo")
    expect(await client.list()).not.toContain("undo")
  })

  it("does not mistake an older list for the newest", async () => {
    const { client, items$ } = await open({ era })
    items$.next(["tea"])
    await client.whenListed("undo")
    items$.next([])
    const again = client.whenListed("undo")
    setImmediate(() => items$.next(["cake"]))

    await again

    expect(await client.list()).toContain("undo")
  })

  it("waits for each notified value, and only once for each", async () => {
    const { client, items$ } = await open({ era, timeoutMs: 200 })
    items$.next(["tea"])

    expect(await client.whenTold("items")).toEqual(["tea"])
    await expect(client.whenTold("items")).rejects.toMatchObject({
      code: "timed_out",
      message: expect.stringContaining('its value is ["tea"]'),
    })
  })

  it("waits for a matching value", async () => {
    const { client, items$ } = await open({ era })
    const three = client.whenTold("items", (items) => Array.isArray(items) && items.length === 3)
    items$.next(["tea"])
    await client.whenListed("undo")
    items$.next(["tea", "cake", "milk"])

    expect(await three).toEqual(["tea", "cake", "milk"])
  })

  it("waits for a state that does not exist yet", async () => {
    const { client, items$ } = await open({ era })
    const told = client.whenTold("each/tea/name")
    items$.next(["tea"])

    expect(await told).toBe("tea")
  })

  it("returns a call's outcome, and the text that the model reads", async () => {
    const { client } = await open({ era })

    const added = await client.call("add", { text: "tea" })
    const refused = await client.call("refuse")
    const invalid = await client.call("add")

    expect(added).toMatchObject({
      outcome: { ok: true, value: { count: 1 } },
      isError: false,
      structured: { count: 1 },
    })
    expect(added.text).toContain('"count":1')
    expect(refused).toMatchObject({ outcome: { ok: false, message: "no", code: "never" }, isError: true })
    expect(invalid.outcome).toMatchObject({ ok: false, code: "invalid_input" })
  })

  it("distinguishes calls of the same tool", async () => {
    const { client } = await open({ era })

    const answers = await Promise.all(["a", "b", "c"].map((name) => client.call("add", { text: name })))

    expect(answers.map(({ outcome }) => outcome)).toEqual([1, 2, 3].map((count) => ({ ok: true, value: { count } })))
  })

  it("answers a question", async () => {
    const { client } = await open({ era })

    const cleared = await client.call("clear", {}, { answers: "accept" })

    expect(cleared).toMatchObject({ outcome: { ok: true }, asked: ["Delete 0 items?\n\nAction: clear"] })
  })

  it("answers several questions in order", async () => {
    const { client } = await open({ era })

    const ordered = await client.call("order", {}, { answers: ["accept", { size: 3 }] })

    expect(ordered.outcome).toEqual({ ok: true, value: { ordered: { size: { size: 3 } } } })
    expect(ordered.asked).toEqual(["Order it?\n\nAction: order", "Which size?\n\nAction: order"])
  })

  it("answers with a function that gets the form", async () => {
    const { client } = await open({ era })
    const forms: unknown[] = []

    const ordered = await client.call(
      "order",
      {},
      {
        answers({ message, schema }) {
          forms.push(schema)
          return message.startsWith("Which size?") ? { size: 4 } : "accept"
        },
      },
    )

    expect(ordered.outcome).toMatchObject({ value: { ordered: { size: { size: 4 } } } })
    expect(forms[1]).toMatchObject({ properties: { size: { type: "integer" } } })
  })

  it.each([
    ["decline", "declined"],
    ["cancel", "undecided"],
  ] as const)("does not run what is answered with %j", async (answers, code) => {
    const { client } = await open({ era })

    expect((await client.call("clear", {}, { answers })).outcome).toMatchObject({ ok: false, code })
  })

  it("rejects if a question has no answer", async () => {
    const { client } = await open({ era })

    await expect(client.call("clear")).rejects.toMatchObject({
      code: "unanswered",
      message: expect.stringContaining("Delete 0 items?"),
    })
    await expect(client.call("order", {}, { answers: "accept" })).rejects.toMatchObject({ code: "unanswered" })
  })

  it("rejects if an answer has no question", async () => {
    const { client } = await open({ era })

    await expect(client.call("add", { text: "tea" }, { answers: "accept" })).rejects.toMatchObject({ code: "unasked" })
  })

  it("receives progress", async () => {
    const { client } = await open({ era })
    const heard: number[] = []

    await client.call("work", {}, { onProgress: ({ progress }) => heard.push(progress) })

    expect(heard).toEqual([1, 2])
  })

  it("cancels a call", async () => {
    const { client } = await open({ era })
    const cancel = new AbortController()
    const hanging = client.call("hang", {}, { signal: cancel.signal })
    cancel.abort()

    await expect(hanging).rejects.toThrow()
  })

  it("names the existing tools and states if another is requested", async () => {
    const { client } = await open({ era })

    await expect(client.call("ad")).rejects.toMatchObject({
      code: "unknown_tool",
      message: expect.stringMatching(/^there is no tool "ad"; there are: .*add, clear/),
    })
    await expect(client.read("item")).rejects.toMatchObject({
      code: "unknown_state",
      message: 'there is no state "item" now; there are: items, note, picture',
    })
  })

  it("says why a tool is not listed", async () => {
    const { client } = await open({ era, timeoutMs: 50 })

    await expect(client.whenListed("undo")).rejects.toMatchObject({
      code: "timed_out",
      message: expect.stringMatching(/^"undo" was not listed: the list is empty; listed are: .*add/),
    })
    await expect(client.whenListed("und")).rejects.toThrow("no such action exists")
    await expect(client.whenGone("add")).rejects.toThrow('"add" is still listed')
  })

  it("shares an adapter between the clients of several people", async () => {
    const adapter = createMcpAdapter((principal: { id: string } | undefined) =>
      createAgenticService({
        name: `notes of ${principal?.id}`,
        states: { owner: state({ schema: { type: "string" }, value: principal?.id ?? "" }) },
      }),
    )
    onTestFinished(adapter.close)
    const ann = await createTestClient(adapter, { era, principal: { id: "ann" } })
    const bob = await createTestClient(adapter, { era, principal: { id: "bob" } })

    expect([await ann.read("owner"), await bob.read("owner")]).toEqual(["ann", "bob"])
    await ann.close()
    expect(await bob.read("owner")).toBe("bob")
    await bob.close()
  })
})

describe("close", () => {
  it("leaves nothing open", async () => {
    const { client, items$ } = await open()
    items$.next(["tea", "cake"])
    await client.whenListed("undo")

    await client.close()

    expect(Object.values(client.adapter.ledger.counts()).every((count) => count === 0)).toBe(true)
    expect(items$.observed).toBe(false)
  })

  it("names an unawaited call", async () => {
    const { todo, release } = createTodo()
    const client = await createTestClient(todo)
    const called = client.call("wait").catch(() => "cut off")
    await client.list()
    setImmediate(release)

    await expect(client.close()).rejects.toMatchObject({
      code: "left_open",
      message: expect.stringContaining('the call of "wait" was not waited for'),
    })
    expect(await called).toBe("cut off")
  })

  it("names an action that does not stop", async () => {
    const { todo, release } = createTodo()
    const client = await createTestClient(todo, { adapter: { calls: { graceMs: 10 } } })
    onTestFinished(release)
    const cancel = new AbortController()
    const called = client.call("wait", {}, { signal: cancel.signal, onProgress: () => {} })
    await client.list()
    cancel.abort()
    await expect(called).rejects.toThrow()

    await expect(client.close()).rejects.toThrow("1 actions do not stop")
  })

  it("rejects pending waits", async () => {
    const { client } = await open()
    const waiting = client.whenListed("undo")
    const ended = expect(waiting).rejects.toMatchObject({ code: "closed" })
    await client.close()

    await ended
    await expect(client.whenTold("items")).rejects.toMatchObject({ code: "closed" })
  })

  it("prints unread diagnostics", async () => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => {})
    onTestFinished(() => warn.mockRestore())
    const breaking = async () => {
      const number$ = new BehaviorSubject(0)
      const numbers = { number: state({ schema: { type: "integer" }, value: number$ }) }
      const client = await createTestClient(createAgenticService({ name: "numbers", states: numbers }))
      number$.error(new Error("out of numbers"))
      await client.list()
      return client
    }
    await (await breaking()).close()
    const printed = warn.mock.calls.length
    const looked = await breaking()
    const { diagnostics } = looked
    await looked.close()

    expect([printed, warn.mock.calls.length]).toEqual([1, 1])
    expect(diagnostics).toMatchObject([{ code: "source_failed", key: "number" }])
  })
})

describe("the options of createTestClient", () => {
  it("are rejected if they are invalid", async () => {
    const { todo } = createTodo()
    const adapter = createMcpAdapter(todo)
    onTestFinished(adapter.close)

    await expect(createTestClient(todo, { timeoutMs: -1 })).rejects.toMatchObject({ code: "invalid_option" })
    await expect(createTestClient(adapter, { adapter: {} })).rejects.toMatchObject({ code: "invalid_option" })
    // @ts-expect-error unknown option
    await expect(createTestClient(todo, { exposures: "meta" })).rejects.toThrow('there is no option "exposures"')
    await expect(createTestClient({})).rejects.toMatchObject({ code: "not_a_service" })
  })

  it("select the listed tools", async () => {
    const { client } = await open({ exposure: "stable", tools: { runAction: false } })

    expect(await client.list()).toContain("undo")
    expect(await client.list()).not.toContain("run_action")
  })

  it("can leave out the states", async () => {
    const { client } = await open({ states: "omit" })

    expect((await client.look()).states).toEqual({})
  })
})

describe("a long action", () => {
  const open = async () => {
    const finish: (() => void)[] = []
    const run = action({
      description: "Export all rows",
      long: true,
      execute: (_, { signal }) =>
        new Promise<string>((resolve, reject) => {
          finish.push(() => resolve("3 rows"))
          signal.addEventListener("abort", () => reject(signal.reason))
        }),
      output: { type: "string" },
    })
    const service = createAgenticService({ name: "exports", actions: { run } })
    const client = await createTestClient(service, { adapter: { tasks: { wordsAfterMs: 0 } } })
    return { client, finish: () => finish.shift()?.() }
  }

  it("is answered with a task, whose result is fetched later", async () => {
    const { client, finish } = await open()

    const { task, isError } = await client.call("run")
    finish()
    const { text } = await client.call("get_task", { id: task })

    expect(isError).toBe(false)
    expect(text).toContain("3 rows")
    await client.close()
  })

  it("is stopped when the client closes, and then leaves nothing open", async () => {
    const { client } = await open()
    await client.call("run")

    await expect(client.close()).resolves.toBeUndefined()
  })
})
