import { type Action, type AgenticService, action, createAgenticService, fail, link } from "@x/agentic-service"
import type { Actions } from "@x/agentic-service/adapter"
import { BehaviorSubject, firstValueFrom, interval, of, Subject } from "rxjs"
import { describe, expect, it } from "vitest"
import { z } from "zod"
import { createManualClock } from "../runtime/manual-clock.fixture.js"
import type { CallAnswer } from "./active-call.js"
import type { Around } from "./create-calls.js"
import { contextWith, serve } from "./serve.fixture.js"

const Title = { type: "object", properties: { title: { type: "string" } }, required: ["title"] } as const

describe("createCaller", () => {
  it("runs the action with its checked input and answers what it returned", async () => {
    const execute = ({ title }: { title: string }) => ({ added: title })
    const add = action({ description: "Add", input: Title, execute })
    const { call } = serve(createAgenticService({ name: "board", actions: { add } }))

    expect(await call("add", { title: "a" }, contextWith())).toMatchObject({
      kind: "settled",
      outcome: { ok: true, value: { added: "a" } },
      entry: { name: "add" },
    })
  })

  it("knows no name that never existed", async () => {
    const { call, events } = serve(createAgenticService({ name: "board" }))

    expect(await call("toString", {}, contextWith())).toEqual({ kind: "unknown", name: "toString" })
    expect(events).toEqual([])
  })

  it("knows no action that the caller may not know of [tool-access]", async () => {
    const secret = action({ description: "Secret", execute: () => {} })
    const service = createAgenticService({ name: "board", actions: { secret } })
    const { call } = serve(service, (entry) => entry.kind !== "tool")

    expect(await call("secret", {}, contextWith())).toEqual({ kind: "unknown", name: "secret" })
  })

  it("lists the nearest available actions first for an unavailable one", async () => {
    const add = (name: string) => action({ description: name, execute: () => {} })
    const many = Array.from({ length: 100 }, (_, index) => [`a${index}`, add("A")] as const)
    const undo = action({ description: "Undo", when: new BehaviorSubject(false), execute: () => {} })
    const column = createAgenticService({ name: "column", actions: { undo, clear: add("C"), undo_all: add("U") } })
    const { call } = serve(
      createAgenticService({
        name: "board",
        actions: Object.fromEntries(many),
        links: { z: link({ service: column }) },
      }),
    )

    expect(await call("z__undo", {}, contextWith())).toMatchObject({
      outcome: { recovery: expect.stringMatching(/^can be called now: z__undo_all, z__clear, a0, .* and 82 more$/) },
    })
  })

  it("says why an action is unavailable, and lists the available ones", async () => {
    const is = new BehaviorSubject(false)
    const undo = action({ description: "Undo", when: { is, otherwise: "there is no history yet" }, execute: () => {} })
    const add = action({ description: "Add", execute: () => {} })
    const { call } = serve(createAgenticService({ name: "board", actions: { add, undo } }))

    expect(await call("undo", {}, contextWith())).toMatchObject({
      outcome: {
        ok: false,
        code: "not_available",
        message: 'action "undo" is not available now: there is no history yet',
        recovery: "can be called now: add",
      },
    })
  })

  it("waits for services that have not emitted yet", async () => {
    const late = new Subject<Actions>()
    const { call } = serve({ ...writtenByHand({}), actions: late })

    const answer = call("bad", {}, contextWith())
    late.next({ bad: toAction({}) })

    expect(await answer).toMatchObject({ outcome: { ok: true } })
  })

  it("calls an action in the same task in which its condition came true", async () => {
    const is = new BehaviorSubject(false)
    const undo = action({ description: "Undo", when: is, execute: () => ({ done: true }) })
    const { call } = serve(createAgenticService({ name: "board", actions: { undo } }))

    is.next(true)

    expect(await call("undo", {}, contextWith())).toMatchObject({ outcome: { ok: true } })
  })

  it("runs nothing on invalid arguments, and lists the places of the faults [inputs-checked, input-error]", async () => {
    let ran = false
    const execute = () => {
      ran = true
    }
    const add = action({ description: "Add", input: Title, execute })
    const { call } = serve(createAgenticService({ name: "board", actions: { add } }))

    const answer = await call("add", { title: 5 }, contextWith())

    expect(answer).toMatchObject({ outcome: { code: "invalid_input", message: expect.stringContaining("- /title: ") } })
    expect(ran).toBe(false)
  })

  it("gives the places of faults in the published arguments", async () => {
    const add = action({ description: "Add", input: { type: "number" }, execute: () => {} })
    const { call, view } = serve(createAgenticService({ name: "board", actions: { add } }))
    const [argument = ""] = Object.keys(view.snapshot().tools[0]?.definition.inputSchema["properties"] ?? {})

    const answer = await call("add", { [argument]: "x" }, contextWith())

    expect(answer).toMatchObject({ outcome: { message: expect.stringContaining(`- /${argument}: `) } })
  })

  it("gives the place of a faulty property by its published name", async () => {
    const input = { type: "object", properties: { "due date": { type: "string" } } } as const
    const add = action({ description: "Add", input, execute: () => {} })
    const { call, view } = serve(createAgenticService({ name: "board", actions: { add } }))
    const [published = ""] = Object.keys(view.snapshot().tools[0]?.definition.inputSchema["properties"] ?? {})

    const answer = await call("add", { [published]: 5 }, contextWith())

    expect(published).not.toBe("due date")
    expect(answer).toMatchObject({ outcome: { message: expect.stringContaining(`- /${published}: `) } })
  })

  it.each([
    ["takes no input", undefined],
    ["takes no object", { type: "number" } as const],
  ])("refuses an argument that should not be there when the action %s", async (_, input) => {
    let ran = false
    const execute = () => {
      ran = true
    }
    const go =
      input === undefined ? action({ description: "Go", execute }) : action({ description: "Go", input, execute })
    const { call } = serve(createAgenticService({ name: "board", actions: { go } }))

    const answer = await call("go", { value: 1, other: 2 }, contextWith())

    expect(answer).toMatchObject({ outcome: { code: "invalid_input", message: expect.stringContaining("- /other: ") } })
    expect(ran).toBe(false)
  })

  it("runs nothing when the condition fails while the input is checked", async () => {
    const is = new BehaviorSubject(true)
    let ran = false
    const input = z.object({}).refine(async () => {
      is.next(false)
      return true
    })
    const add = action({
      description: "Add",
      when: is,
      input,
      execute: () => {
        ran = true
      },
    })
    const { call } = serve(createAgenticService({ name: "board", actions: { add } }))

    expect(await call("add", {}, contextWith())).toMatchObject({ outcome: { code: "not_available" } })
    expect(ran).toBe(false)
  })

  it("does not run an action whose caller is gone", async () => {
    let ran = false
    const add = action({
      description: "Add",
      execute: () => {
        ran = true
      },
    })
    const { call } = serve(createAgenticService({ name: "board", actions: { add } }))

    expect(await call("add", {}, contextWith({ signal: AbortSignal.abort() }))).toMatchObject({
      outcome: { ok: false, code: "aborted" },
    })
    expect(ran).toBe(false)
  })

  it.each<[string, Partial<Action>]>([
    ["confirm", { confirm: () => "Sure?" }],
    ["ask", { ask: () => ({ size: { message: "Which size?", schema: { type: "object" } } }) }],
  ])("does not run an action with %s where nobody can be asked", async (_, question) => {
    let ran = false
    const execute: Action["execute"] = async () => {
      ran = true
      return { ok: true }
    }
    const { call } = serve(writtenByHand({ ...question, execute }))

    expect(await call("bad", {}, contextWith())).toMatchObject({ outcome: { code: "confirmation_unavailable" } })
    expect(ran).toBe(false)
  })

  it("hands the principal to the action, and a signal that aborts with the caller's", async () => {
    const caller = new AbortController()
    const context = contextWith({ principal: { id: "ann" }, signal: caller.signal })
    let seen: unknown
    const add = action({
      description: "Add",
      execute: (_, given) => {
        seen = given
      },
    })
    const { call } = serve(createAgenticService({ name: "board", actions: { add } }))

    await call("add", {}, context)

    expect(seen).toMatchObject({ principal: { id: "ann" }, answers: {} })
  })

  it("forwards growing progress while the action runs, and never throws into the action", async () => {
    const sent: number[] = []
    const progress = (step: { progress: number }) => {
      sent.push(step.progress)
      throw new Error("gone")
    }
    let late = () => {}
    const add = action({
      description: "Add",
      execute: (_, context) => {
        for (const step of [1, 3, 2, 3, Number.NaN, 4]) context.progress({ progress: step })
        late = () => context.progress({ progress: 5 })
      },
    })
    const { call } = serve(createAgenticService({ name: "board", actions: { add } }))

    const answer = await call("add", {}, contextWith({ progress }))
    late()

    expect(answer).toMatchObject({ outcome: { ok: true } })
    // Progress within 100 ms is merged into the newest.
    expect(sent).toEqual([1, 4])
  })

  it("emits the start and end of a call, and holds it in the ledger between them", async () => {
    let release = () => {}
    const gate = new Promise<void>((resolve) => {
      release = resolve
    })
    const wait = action({ description: "Wait", execute: () => gate.then(() => fail("no luck")) })
    const { call, events, ledger, view } = serve(createAgenticService({ name: "board", actions: { wait } }))
    await view.ready()

    const trace = { baggage: "a=b" }
    const answer = call("wait", {}, contextWith({ principal: { id: "ann" }, trace }))
    await Promise.resolve()
    const during = ledger.counts().call
    release()
    await answer

    const { leg } = contextWith()
    const subject = {
      id: "id-1",
      name: "wait",
      client: "test",
      principal: { id: "ann" },
      leg,
      trace,
      args: {},
      view: view.id,
    }
    expect(during).toBe(1)
    expect(ledger.counts().call).toBe(0)
    expect(events).toEqual([
      { type: "call-started", ...subject },
      {
        type: "call-settled",
        ...subject,
        entry: expect.objectContaining({ path: [], key: "wait" }),
        outcome: expect.objectContaining({ ok: false }),
        duration: expect.any(Number),
      },
    ])
  })

  it("runs a call within its wrappers, outermost first, after emitting its start", async () => {
    const seen: string[] = []
    const add = action({ description: "Add", execute: () => void seen.push("runs") })
    const { call, calls, events } = serve(createAgenticService({ name: "board", actions: { add } }))
    const noting =
      (name: string): Around =>
      (subject, work) => {
        seen.push(`${name} ${subject.id} after ${events.length} event`)
        return work()
      }
    calls.around(noting("outer"))
    const take = calls.around(noting("inner"))

    await call("add", {}, contextWith())
    take()
    await call("add", {}, contextWith())

    expect(seen).toEqual([
      "outer id-1 after 1 event",
      "inner id-1 after 1 event",
      "runs",
      "outer id-2 after 3 event",
      "runs",
    ])
  })

  it("answers a call whose wrapper throws", async () => {
    const add = action({ description: "Add", execute: () => {} })
    const { call, calls, ledger } = serve(createAgenticService({ name: "board", actions: { add } }))
    calls.around(throwing)

    expect(await call("add", {}, contextWith())).toMatchObject({ outcome: { code: "action_failed" } })
    expect(ledger.counts().call).toBe(0)
  })

  it.each<[string, Partial<Action>]>([
    ["throws", { execute: throwing }],
    ["throws while it checks", { check: throwing }],
    ["rejects with nothing", { execute: () => Promise.reject() }],
    // Written by hand, without types.
    ["answers nothing", { execute: (() => undefined) as unknown as Action["execute"] }],
  ])("answers for an action that %s, and tells only the operator why [outputs-clean]", async (_, broken) => {
    const { call, events } = serve(writtenByHand(broken))

    expect(await call("bad", {}, contextWith())).toMatchObject({
      outcome: { ok: false, code: "action_failed", message: "action failed (id-1)" },
    })
    expect(events.map((event) => event.type)).toEqual(["call-started", "diagnostic", "call-settled"])
  })

  it("cancels a foreign action's question that cannot be put, and answers with the action's result", async () => {
    const resume = async (said: unknown) => ({ ok: false, message: `it was ${said}` }) as const
    const { call, events } = serve(writtenByHand({ execute: async () => ({ ok: "ask", questions: {}, resume }) }))

    expect(await call("bad", {}, contextWith())).toMatchObject({ outcome: { ok: false, message: "it was cancelled" } })
    expect(events.map((event) => event.type)).toEqual(["call-started", "call-settled"])
  })
})

function throwing(): never {
  throw new Error("secret")
}

/** Creates a service that may break its contract. */
function writtenByHand(parts: Partial<Action>): AgenticService {
  return { ...createAgenticService({ name: "hand" }), actions: of({ bad: toAction(parts) }) }
}

function toAction(parts: Partial<Action>): Action {
  return {
    description: "Bad",
    schema: undefined,
    hints: {},
    check: (input) => ({ ok: true, input }),
    execute: async () => ({ ok: true }),
    ...parts,
  }
}

describe("the limits of calls", () => {
  /** Creates an action that runs until it is released or told to stop. */
  function createGate(
    options: { readonly ignoresSignal?: boolean; readonly timeoutMs?: number; readonly readOnly?: boolean } = {},
  ) {
    const { ignoresSignal = false, ...rest } = options
    const started = new Subject<void>()
    const release = new Subject<void>()
    const go = action({
      description: "Go",
      ...rest,
      execute: (_input, { signal }) =>
        new Promise<{ done: boolean } | ReturnType<typeof fail>>((resolve) => {
          release.subscribe(() => resolve({ done: true }))
          if (!ignoresSignal) signal.addEventListener("abort", () => resolve(fail("stopped")))
          started.next()
        }),
    })
    return { go, release, started }
  }
  const codeOf = (answer: CallAnswer) => answer.kind === "settled" && !answer.outcome.ok && answer.outcome.code

  it("answers for an action that ignores its signal after the grace period, and emits its late end", async () => {
    const { go, release, started } = createGate({ ignoresSignal: true, timeoutMs: 1_000 })
    const clock = createManualClock()
    const { call, events, ledger } = serve(createAgenticService({ name: "s", actions: { go } }), undefined, { clock })
    const running = firstValueFrom(started)
    const answer = call("go", {}, contextWith())
    await running

    clock.advance(6_000)
    const code = codeOf(await answer)
    const stuck = ledger.counts().stuck
    release.next()
    await Promise.resolve().then(() => Promise.resolve())

    expect([code, stuck]).toEqual(["timed_out", 1])
    await expect.poll(() => events.at(-1)?.type).toBe("call-late")
    expect(Object.values(ledger.counts()).filter((count) => count > 0)).toEqual([ledger.counts().subscription])
  })

  it("limits a client's running calls, and rejects calls beyond its queue [rate-limit]", async () => {
    const { go, release } = createGate()
    const { call } = serve(createAgenticService({ name: "s", actions: { go } }), undefined, { running: 2, waiting: 1 })
    const answers = Array.from({ length: 4 }, () => call("go", {}, contextWith()))

    const refused = codeOf(await Promise.race(answers))
    const stop = interval(0).subscribe(() => release.next())
    const all = await Promise.all(answers)
    stop.unsubscribe()

    expect(refused).toBe("busy")
    expect(all.map(codeOf)).toEqual([false, false, false, "busy"])
  })

  it("runs changes of a service one at a time with `serial`, and reads concurrently", async () => {
    const change = createGate()
    const read = createGate({ readOnly: true })
    const service = createAgenticService({ name: "s", actions: { change: change.go, read: read.go } })
    const { call, events } = serve(service, undefined, { changes: "serial" })
    const running = firstValueFrom(change.started)
    const first = call("change", {}, contextWith({ client: "a" }))
    await running
    let second = 0
    change.started.subscribe(() => {
      second += 1
    })
    const next = call("change", {}, contextWith({ client: "b" }))
    const reading = firstValueFrom(read.started)
    const beside = call("read", {}, contextWith({ client: "c" }))
    await reading
    const before = second

    read.release.next()
    await beside
    change.release.next()
    await first
    await expect.poll(() => second).toBe(1)
    change.release.next()

    expect(before).toBe(0)
    expect(codeOf(await next)).toBe(false)
    expect(events.filter(({ type }) => type === "call-settled")).toHaveLength(3)
  })

  it.each([
    ["drain", false],
    ["abort", "not_available"],
  ] as const)("lets a call whose action is hidden %s", async (hidden, expected) => {
    const { go, release, started } = createGate()
    const when = new BehaviorSubject(true)
    const hide = { ...go, options: { ...go.options, when } }
    const clock = createManualClock()
    const service = createAgenticService({ name: "s", actions: { go: hide } })
    const { call } = serve(service, undefined, { clock, hidden, graceMs: 10 })
    const running = firstValueFrom(started)
    const answer = call("go", {}, contextWith())
    await running

    when.next(false)
    clock.endTask()
    if (hidden === "drain") release.next()

    expect(codeOf(await answer)).toBe(expected)
  })
})

describe("time limits set by an action's author", () => {
  it("override the default idle limit", async () => {
    const clock = createManualClock()
    let end: () => void = () => {}
    const slow = action({
      description: "Slow",
      timeoutMs: 600_000,
      execute: (_input, { progress }) => {
        progress({ progress: 1 })
        return new Promise<void>((resolve) => {
          end = resolve
        })
      },
    })
    const { call } = serve(createAgenticService({ name: "board", actions: { slow } }), undefined, { clock })
    const answered = call("slow", {}, contextWith())
    await expect.poll(() => clock.waiting()).toBeGreaterThan(0)

    clock.advance(599_000)
    end()

    expect(await answered).toMatchObject({ outcome: { ok: true } })
  })

  it("reports errors of a signal's listener without affecting the call", async () => {
    const caller = new AbortController()
    let begun = false
    const wait = action({
      description: "Wait",
      execute: (_input, { signal }) =>
        new Promise<void>((resolve) => {
          begun = true
          signal.addEventListener("abort", throwing)
          signal.onabort = throwing
          signal.addEventListener("abort", () => resolve())
        }),
    })
    const { call, events } = serve(createAgenticService({ name: "board", actions: { wait } }))
    const answered = call("wait", {}, contextWith({ signal: caller.signal }))
    await expect.poll(() => begun).toBe(true)

    caller.abort()

    expect(await answered).toMatchObject({ kind: "settled" })
    expect(events).toContainEqual(
      expect.objectContaining({ diagnostic: expect.objectContaining({ code: "action_failed" }) }),
    )
  })
})
