import { action, createAgenticService, type Principal, state } from "@x/agentic-service"
import { BehaviorSubject, config } from "rxjs"
import { describe, expect, it } from "vitest"
import { AdapterError } from "./adapter-error.js"
import type { AdapterEvent } from "./calls/adapter-event.js"
import { contextWith } from "./calls/serve.fixture.js"
import { createMcpAdapter } from "./create-adapter.js"
import { createManualClock } from "./runtime/manual-clock.fixture.js"

const ann: Principal = { id: "ann" }
const bob: Principal = { id: "bob" }

function createNotes(names: readonly string[] = ["add", "wipe"]) {
  const open = new BehaviorSubject(true)
  const service = createAgenticService({
    name: "notes",
    states: { count: state({ schema: { type: "number" }, value: new BehaviorSubject(1) }) },
    actions: Object.fromEntries(
      names.map((name) => [name, action({ description: name, when: open, execute: () => undefined })]),
    ),
  })
  return { service, open }
}

describe("createMcpAdapter", () => {
  it("lists the available tools and states", async () => {
    const adapter = createMcpAdapter(createNotes().service)

    const { tools, states } = await adapter.list()

    expect([tools.map(({ name }) => name), states.map(({ uri }) => uri)]).toEqual([
      ["add", "wipe"],
      ["agentic://notes/count"],
    ])
  })

  it("calls an action by its name", async () => {
    const adapter = createMcpAdapter(createNotes().service)

    expect(await adapter.call("add")).toMatchObject({ kind: "settled", outcome: { ok: true } })
  })

  it("does not know a name that never existed", async () => {
    const adapter = createMcpAdapter(createNotes().service)

    expect(await adapter.call("sing")).toEqual({ kind: "unknown", name: "sing" })
  })

  it("reads the newest value of a state", async () => {
    const adapter = createMcpAdapter(createNotes().service)

    expect(await adapter.read("agentic://notes/count")).toEqual({ value: 1 })
  })

  it("hides denied actions from each principal, in lists and in calls [tools-by-principal, tool-access]", async () => {
    const adapter = createMcpAdapter(createNotes().service, {
      allow: (principal, entry) => entry.kind !== "tool" || entry.key !== "wipe" || principal?.id === "ann",
    })

    const seen = async (principal: Principal): Promise<unknown> => [
      (await adapter.list({ principal })).tools.map(({ name }) => name),
      (await adapter.call("wipe", {}, { principal })).kind,
    ]

    expect([await seen(ann), await seen(bob)]).toEqual([
      [["add", "wipe"], "settled"],
      [["add"], "unknown"],
    ])
  })

  it("gives each principal its own service", async () => {
    const adapter = createMcpAdapter((principal) => createNotes([principal?.id ?? "nobody"]).service, { name: "notes" })

    const lists = await Promise.all([ann, bob, undefined].map((principal) => adapter.list(principal && { principal })))

    expect(lists.map(({ tools }) => tools.map(({ name }) => name))).toEqual([["ann"], ["bob"], ["nobody"]])
  })

  it("makes a principal's service once for calls that follow each other", async () => {
    let made = 0
    const adapter = createMcpAdapter(() => {
      made += 1
      return createNotes().service
    })

    await adapter.call("add", {}, { principal: ann })
    await adapter.call("add", {}, { principal: ann })

    expect(made).toBe(1)
  })

  it.each([
    [{ elicitation: {} }, { _confirm: { message: "Burn it?\n\nAction: burn" } }],
    [{}, undefined],
  ])("reports the question of a call to a client with the capabilities %j", async (clientCapabilities, questions) => {
    const burn = action({ description: "Burn", destructive: true, confirm: () => "Burn it?", execute: () => {} })
    const adapter = createMcpAdapter(createAgenticService({ name: "room", actions: { burn } }))
    const asked: unknown[] = []
    adapter.events.subscribe((event) => event.type === "call-asked" && asked.push(event.questions))

    await adapter.call("burn", {}, { clientCapabilities })

    expect(asked).toMatchObject([questions])
    adapter.close()
  })

  it("emits one event for the changes of a task, and none for the initial state", () => {
    const clock = createManualClock()
    const { service, open } = createNotes()
    const adapter = createMcpAdapter(service, { clock })
    const events: AdapterEvent[] = []
    adapter.events.subscribe((event) => events.push(event))
    clock.endTask()

    open.next(false)
    clock.endTask()

    expect(
      events.map((event) => event.type === "changed" && event.diff.tools.vanished.map(({ name }) => name)),
    ).toEqual([["add", "wipe"]])
  })

  it("emits earlier diagnostics to its first listener", () => {
    const broken = createAgenticService({
      name: "b",
      actions: {
        bad: action({ description: "Bad", input: { $ref: "https://example.com/s" }, execute: () => undefined }),
      },
    })
    const adapter = createMcpAdapter(broken)
    const codes: string[] = []

    adapter.events.subscribe((event) => event.type === "diagnostic" && codes.push(event.diagnostic.code))

    expect(codes).toEqual(["schema_unpublishable"])
  })

  it("continues when a listener throws, and lets rxjs report the error to the host", async () => {
    const adapter = createMcpAdapter(createNotes().service)
    const types: string[] = []
    const handed = new Promise((resolve) => {
      config.onUnhandledError = resolve
    })
    adapter.events.subscribe(({ type }) => {
      if (type === "call-started") throw new Error("a listener's own fault")
    })
    adapter.events.subscribe((event) => types.push(event.type))

    await adapter.call("add")
    const error = await handed
    config.onUnhandledError = null

    expect([types, error]).toEqual([["call-started", "call-settled"], new Error("a listener's own fault")])
  })

  it("holds nothing after it is closed, and leaves the service open", async () => {
    const clock = createManualClock()
    const { service, open } = createNotes()
    const adapter = createMcpAdapter(service, { clock, allow: () => true })
    await adapter.list({ principal: ann })
    let closed = false
    adapter.events.subscribe({
      complete() {
        closed = true
      },
    })

    adapter.close()
    adapter.close()

    expect([
      Object.values(adapter.ledger.counts()).every((count) => count === 0),
      open.observed,
      clock.waiting(),
    ]).toEqual([true, false, 0])
    expect([closed, (await service.execute("add", undefined)).ok]).toEqual([true, true])
  })

  it("stops a running action when it is closed, and emits the end of the call", async () => {
    const started = createSignal()
    const service = createAgenticService({
      name: "n",
      actions: {
        wait: action({
          description: "Wait until told to stop",
          execute: (_, { signal }) =>
            new Promise<void>((resolve) => {
              signal.addEventListener("abort", () => resolve())
              started.resolve()
            }),
        }),
      },
    })
    const adapter = createMcpAdapter(service)
    const types: string[] = []
    adapter.events.subscribe({ next: ({ type }) => types.push(type), complete: () => types.push("completed") })
    const answer = adapter.call("wait")
    await started.promise

    adapter.close()

    expect(await answer).toMatchObject({ kind: "settled", outcome: { ok: true } })
    expect(types).toEqual(["call-started", "call-settled", "completed"])
  })

  it("answers a call that waits for its turn when it is closed, without running it", async () => {
    const started = createSignal()
    let runs = 0
    const service = createAgenticService({
      name: "n",
      actions: {
        wait: action({
          description: "Wait until told to stop",
          execute(_, { signal }) {
            runs += 1
            return new Promise<void>((resolve) => {
              signal.addEventListener("abort", () => resolve())
              started.resolve()
            })
          },
        }),
      },
    })
    const adapter = createMcpAdapter(service, { calls: { running: 1 } })
    const answers = [adapter.call("wait"), adapter.call("wait")]
    await started.promise

    adapter.close()

    expect(await Promise.all(answers)).toMatchObject([
      { outcome: { ok: true } },
      { outcome: { ok: false, code: "aborted", message: 'action "wait" was stopped: the server is closing' } },
    ])
    expect(runs).toBe(1)
  })

  it("never makes a principal wait for a change of another principal's service", async () => {
    const held = createSignal()
    const serviceOf = (id: string) =>
      createAgenticService({
        name: id,
        actions: {
          change: action({
            description: "Changes",
            async execute() {
              if (id === "ann") await held.promise
              return { by: id }
            },
          }),
        },
      })
    const adapter = createMcpAdapter((principal) => serviceOf(principal?.id ?? ""), { calls: { changes: "serial" } })

    const ann = adapter.call("change", {}, { principal: { id: "ann" } })
    const bob = await adapter.call("change", {}, { principal: { id: "bob" } })
    held.resolve()

    expect([bob, await ann]).toMatchObject([
      { outcome: { ok: true, value: { by: "bob" } } },
      { outcome: { ok: true, value: { by: "ann" } } },
    ])
    adapter.close()
  })

  it("rejects lists, reads and calls after it is closed", async () => {
    const adapter = createMcpAdapter(createNotes().service)
    const { view } = adapter.core.open(undefined)
    const call = (name: string) => adapter.core.calls.call(view, { name, args: {}, context: contextWith() })
    adapter.close()

    await expect(adapter.list()).rejects.toThrow(
      new AdapterError("the adapter is closed: close it last, after the servers that use it", { code: "closed" }),
    )
    await expect(adapter.read("agentic://notes/open")).rejects.toMatchObject({ code: "closed" })
    expect(() => adapter.core.open(undefined)).toThrow(AdapterError)
    const refused = { kind: "settled", outcome: { ok: false, code: "closed" } }
    expect([await adapter.call("add"), await call("add")]).toMatchObject([refused, refused])
  })
})

/** Creates a promise that a test resolves itself. */
function createSignal() {
  let resolve = () => {}
  const promise = new Promise<void>((settle) => {
    resolve = settle
  })
  return { promise, resolve: () => resolve() }
}
