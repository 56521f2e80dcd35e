import { getEventListeners } from "node:events"
import { BehaviorSubject, of, Subject } from "rxjs"
import { describe, expect, it } from "vitest"
import { z } from "zod"
import {
  type ActionDeclaration,
  type AgenticService,
  action,
  content,
  createAgenticService,
  type ExecuteContext,
  fail,
  ServiceError,
} from "../index.js"
import type { MemberFailure } from "../service.js"

/** Creates a service of one action, `go`, and collects its reports. */
function serviceOf(go: ActionDeclaration): { readonly service: AgenticService; readonly failures: MemberFailure[] } {
  const service = createAgenticService({ name: "x", actions: { go } })
  const failures: MemberFailure[] = []
  service.failures.subscribe((failure) => failures.push(failure))
  return { service, failures }
}

function contextOf(signal: AbortSignal): ExecuteContext {
  return { signal, progress: () => {}, answers: {} }
}

const Text = { type: "object", properties: { text: { type: "string" } }, required: ["text"] } as const

describe("execute", () => {
  it("keeps no listener of an action that nobody watches", async () => {
    const signals: AbortSignal[] = []
    const { service } = serviceOf(
      action({
        description: "Listens and never stops",
        execute(_, { signal }) {
          signal.addEventListener("abort", () => {})
          signals.push(signal)
        },
      }),
    )

    for (let call = 0; call < 20; call += 1) await service.execute("go", {})

    expect(signals.flatMap((signal) => getEventListeners(signal, "abort"))).toEqual([])
    expect(signals).toHaveLength(20)
  })

  it("runs the action on its input and gives back its value", async () => {
    const { service } = serviceOf(action({ description: "Go", input: Text, execute: ({ text }) => ({ text }) }))

    expect(await service.execute("go", { text: "hello" })).toEqual({ ok: true, value: { text: "hello" } })
  })

  it("succeeds without a value when the action returns nothing", async () => {
    const { service } = serviceOf(action({ description: "Go", execute: async () => {} }))

    expect(await service.execute("go", undefined)).toEqual({ ok: true })
  })

  it("accepts nothing, null and an empty object as no input, and rejects everything else", async () => {
    const { service } = serviceOf(action({ description: "Go", execute: () => true }))
    const inputs = [undefined, null, {}, { text: 1 }, "text", []]

    const outcomes = await Promise.all(inputs.map((input) => service.execute("go", input)))

    expect(outcomes.map(({ ok }) => ok)).toEqual([true, true, true, false, false, false])
  })

  it("runs nothing on invalid input, and reports the place and reason", async () => {
    let ran = false
    const execute = (): void => {
      ran = true
    }
    const { service } = serviceOf(action({ description: "Go", input: Text, execute }))

    expect(await service.execute("go", { text: 1 })).toEqual({
      ok: false,
      code: "invalid_input",
      message: 'the arguments of "go" are not valid:\n- /text: found "number", expected "string"',
      recovery: "correct the arguments and call again",
    })
    expect(ran).toBe(false)
  })

  it.each<[string, () => object]>([
    ["an observable", () => of(1)],
    ["a store", () => ({ subscribe: () => () => {}, getState: () => 1 })],
    [
      "what is iterated asynchronously",
      async function* () {
        yield 1
      },
    ],
    [
      "a generator",
      function* () {
        yield 1
      },
    ],
    ["an observable beside blocks", () => content(of(1), [])],
    ["a promise of an observable", async () => of(1)],
  ])("refuses %s as a value, and tells the author why", async (_, execute) => {
    const { service, failures } = serviceOf(action({ description: "Go", execute }))

    expect(await service.execute("go", {})).toEqual({
      ok: false,
      code: "invalid_output",
      message: 'action "go" returned a stream, expected a value',
    })
    expect(failures).toMatchObject([{ key: "go", cause: { message: expect.stringContaining("firstValueFrom") } }])
  })

  it("passes a Standard Schema's output to the action", async () => {
    const input = z.object({ count: z.string().transform(Number) })
    const { service } = serviceOf(action({ description: "Go", input, execute: ({ count }) => count + 1 }))

    expect(await service.execute("go", { count: "1" })).toEqual({ ok: true, value: 2 })
  })

  it("fills in no defaults of a JSON Schema", async () => {
    const input = { type: "object", properties: { done: { type: "boolean", default: false } } } as const
    const { service } = serviceOf(action({ description: "Go", input, execute: ({ done }) => [done] }))

    expect(await service.execute("go", {})).toEqual({ ok: true, value: [undefined] })
  })

  it("answers why an action is unavailable, and lists the available ones", async () => {
    const service = createAgenticService({
      name: "board",
      actions: {
        add: action({ description: "Add", execute: () => {} }),
        undo: action({
          description: "Undo",
          when: { is: new BehaviorSubject(false), otherwise: "there is no history yet" },
          execute: () => {},
        }),
      },
    })

    expect(await service.execute("undo", {})).toEqual({
      ok: false,
      code: "not_available",
      message: 'action "undo" is not available now: there is no history yet',
      recovery: "can be called now: add",
    })
  })

  it.each(["nothing", "toString", "__proto__", "constructor"])("finds no action %s", async (key) => {
    const { service } = serviceOf(action({ description: "Go", execute: () => {} }))

    expect(await service.execute(key, {})).toMatchObject({ ok: false, code: "not_available" })
  })

  it("subscribes to the condition only during the call", async () => {
    const when = new BehaviorSubject(true)
    const finish = new Subject<void>()
    const execute = (): Promise<void> => new Promise((resolve) => finish.subscribe(() => resolve()))
    const { service } = serviceOf(action({ description: "Go", when, execute }))

    const running = service.execute("go", {})
    const during = when.observed
    await Promise.resolve().then(() => Promise.resolve())
    finish.next()
    await running

    expect([during, when.observed]).toEqual([true, false])
  })

  it("checks the condition again after a slow check", async () => {
    const when = new BehaviorSubject(true)
    const input = z.object({}).refine(async () => {
      when.next(false)
      return true
    })
    const { service } = serviceOf(action({ description: "Go", when, input, execute: () => {} }))

    expect(await service.execute("go", {})).toMatchObject({ ok: false, code: "not_available" })
  })

  it("returns a failure with its code and recovery", async () => {
    const failing = action({ description: "Go", execute: () => fail("no", { code: "full", recovery: "wait" }) })
    const { service, failures } = serviceOf(failing)

    expect(await service.execute("go", {})).toEqual({ ok: false, message: "no", code: "full", recovery: "wait" })
    expect(failures).toEqual([])
  })

  it("treats a lookalike of a failure as a value", async () => {
    const { service } = serviceOf(action({ description: "Go", execute: () => ({ ok: false, message: "no" }) }))

    expect(await service.execute("go", {})).toEqual({ ok: true, value: { ok: false, message: "no" } })
  })

  it("returns blocks beside the value", async () => {
    const blocks = [{ type: "text", text: "hello" }] as const
    const { service } = serviceOf(action({ description: "Go", execute: () => content({ n: 1 }, blocks) }))

    expect(await service.execute("go", {})).toEqual({ ok: true, value: { n: 1 }, content: blocks })
  })

  it("returns blocks without a value", async () => {
    const { service } = serviceOf(action({ description: "Go", execute: () => content(undefined, []) }))

    expect(await service.execute("go", {})).toEqual({ ok: true, content: [] })
  })

  it("shows a thrown ServiceError's message", async () => {
    const execute = (): void => {
      throw new ServiceError("the board is full", { code: "full", recovery: "archive a card" })
    }
    const { service, failures } = serviceOf(action({ description: "Go", execute }))

    expect(await service.execute("go", {})).toEqual({
      ok: false,
      message: "the board is full",
      code: "full",
      recovery: "archive a card",
    })
    expect(failures).toEqual([])
  })

  it("reports the cause of a thrown ServiceError", async () => {
    const execute = (): void => {
      throw new ServiceError("the board is away", { code: "away", cause: new Error("connection refused") })
    }
    const { service, failures } = serviceOf(action({ description: "Go", execute }))

    const outcome = await service.execute("go", {})

    expect(outcome).toEqual({ ok: false, message: "the board is away", code: "away" })
    expect(failures).toMatchObject([{ kind: "action", key: "go", cause: { cause: new Error("connection refused") } }])
  })

  it("answers any other throw with an id, and reports its cause", async () => {
    const execute = (): void => {
      throw new Error("password is hunter2")
    }
    const { service, failures } = serviceOf(action({ description: "Go", execute }))

    const outcome = await service.execute("go", {})

    const [failure] = failures
    expect(outcome).toEqual({ ok: false, code: "action_failed", message: `action failed (${failure?.id})` })
    expect(failure).toMatchObject({ kind: "action", key: "go", cause: new Error("password is hunter2") })
  })

  it.each([undefined, null, "text", 0])("answers a rejection with %s", async (reason) => {
    const execute = (): Promise<void> => Promise.reject(reason)
    const { service } = serviceOf(action({ description: "Go", execute }))

    expect(await service.execute("go", {})).toMatchObject({ ok: false, code: "action_failed" })
  })

  it("answers a value that does not match its output, and reports the issues", async () => {
    // The types reject it, but untyped code may do so.
    const execute = (): string => JSON.parse("1")
    const { service, failures } = serviceOf(action({ description: "Go", output: { type: "string" }, execute }))

    expect(await service.execute("go", {})).toMatchObject({ ok: false, code: "invalid_output" })
    expect(failures).toMatchObject([{ kind: "action", key: "go", cause: { code: "invalid_output", cause: 1 } }])
  })

  it("checks an output's JSON form", async () => {
    const output = { type: "object", properties: { note: { type: "string" } }, additionalProperties: false } as const
    // The types allow this without `exactOptionalPropertyTypes`, which few set.
    const odd = { note: undefined } as object as { note?: string }
    const { service } = serviceOf(action({ description: "Go", output, execute: () => odd }))

    expect(await service.execute("go", {})).toMatchObject({ ok: true })
  })

  it("returns a Standard Schema's output", async () => {
    const output = z.object({ id: z.string() })
    const execute = (): { id: string; secret: string } => ({ id: "1", secret: "x" })
    const { service } = serviceOf(action({ description: "Go", output, execute }))

    expect(await service.execute("go", {})).toEqual({ ok: true, value: { id: "1" } })
  })

  it("starts nothing for an aborted call", async () => {
    let ran = false
    const execute = (): void => {
      ran = true
    }
    const { service } = serviceOf(action({ description: "Go", execute }))

    const outcome = await service.execute("go", {}, contextOf(AbortSignal.abort()))

    expect(outcome).toMatchObject({ ok: false, code: "aborted" })
    expect(ran).toBe(false)
  })

  it("treats stopping as the caller's wish, not as a fault", async () => {
    const controller = new AbortController()
    const execute = async (_input: undefined, { signal }: ExecuteContext): Promise<void> => {
      controller.abort()
      signal.throwIfAborted()
    }
    const { service, failures } = serviceOf(action({ description: "Go", execute }))

    expect(await service.execute("go", {}, contextOf(controller.signal))).toMatchObject({ ok: false, code: "aborted" })
    expect(failures).toEqual([])
  })

  it.each(["confirm", "ask"])("refuses an action with %s and does not run it", async (question) => {
    let ran = false
    const execute = (): void => {
      ran = true
    }
    const asked = question === "confirm" ? { confirm: () => "Sure?" } : { ask: () => ({}) }
    const { service } = serviceOf(action({ description: "Go", ...asked, execute }))

    expect(await service.execute("go", {})).toMatchObject({ ok: false, code: "confirmation_unavailable" })
    expect(ran).toBe(false)
  })

  it.each(["go", "toString"])("finds no %s once the service is closed", async (key) => {
    const { service } = serviceOf(action({ description: "Go", execute: () => {} }))

    service.close()

    expect(await service.execute(key, {})).toMatchObject({ ok: false, code: "not_available" })
  })
})
