import { BehaviorSubject, of } from "rxjs"
import { describe, expect, it } from "vitest"
import { type AgenticService, createAgenticService, type ForeignOptions, link, toAgenticService } from "../index.js"
import type { MemberFailure } from "../service.js"

/** Creates a service of the original interface, with the tested maps. */
function seedOf(parts: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return { states: of({}), actions: of({}), execute: async () => undefined, ...parts }
}

/** Creates a service of one action, `go`, and records its calls. */
function actionOf(
  entry: object,
  options?: ForeignOptions,
): { readonly service: AgenticService; readonly calls: unknown[][] } {
  const calls: unknown[][] = []
  const go = { description: "Go", execute: (...values: unknown[]) => calls.push(["action", ...values]), ...entry }
  const execute = async (...values: unknown[]): Promise<void> => {
    calls.push(["service", ...values])
  }
  return { service: toAgenticService(seedOf({ actions: of({ go }), execute }), options), calls }
}

function collect<Value>(stream: { subscribe(next: (value: Value) => void): unknown }): Value[] {
  const seen: Value[] = []
  stream.subscribe((value) => seen.push(value))
  return seen
}

describe("toAgenticService", () => {
  it("returns a service of ours unchanged", () => {
    const service = createAgenticService({ name: "x" })

    expect(toAgenticService(service)).toBe(service)
    expect(toAgenticService({ ...service, name: "y" })).toMatchObject({ name: "y" })
  })

  it("returns a service written by hand against our interface unchanged", () => {
    const { states, actions, links, failures, declared, execute, close } = createAgenticService({ name: "x" })
    const byHand = { name: "by hand", states, actions, links, failures, declared, execute, close }

    expect(toAgenticService(byHand)).toBe(byHand)
  })

  it("gives the same wrapper for the same service, and a new one once that is closed", () => {
    const foreign = seedOf({})
    const first = toAgenticService(foreign)

    const again = toAgenticService(foreign, { name: "other" })
    first.close()

    expect(again).toBe(first)
    expect(toAgenticService(first)).toBe(first)
    expect(toAgenticService(foreign)).not.toBe(first)
  })

  it.each([
    [undefined, "found undefined"],
    [null, "found null"],
    ["board", "found string"],
    [{}, 'found an object without the function "execute"'],
    [{ execute: () => {} }, 'found an object without an observable "actions"'],
    [{ execute: () => {}, actions: {} }, 'found an object without an observable "actions"'],
    [seedOf({ links: {} }), 'found an object whose "links" is no observable'],
  ])("refuses %s and says what it found", (candidate, found) => {
    const message = `${found}, expected a service with "states", "actions" and "execute"`

    expect(() => toAgenticService(candidate)).toThrow(expect.objectContaining({ code: "not_a_service", message }))
  })

  it("uses the most meaningful name", () => {
    const named = toAgenticService(seedOf({ serviceName: "board" }))
    const unnamed = toAgenticService(seedOf({ serviceName: "agentic-service" }))
    const renamed = toAgenticService(seedOf({ serviceName: "board" }), { name: "other" })

    expect([named.name, unnamed.name, renamed.name]).toEqual(["board", "service", "other"])
  })

  it("declares nothing, because it cannot know", () => {
    expect(toAgenticService(seedOf({})).declared).toEqual({ states: {}, actions: {}, links: {} })
  })

  it("subscribes to each foreign map once, and releases it with the last subscriber", () => {
    const states = new BehaviorSubject({})
    const actions = new BehaviorSubject({})
    const service = toAgenticService(seedOf({ states, actions }))
    const before = states.observed || actions.observed

    const held = [service.states.subscribe(), service.states.subscribe(), service.actions.subscribe()]
    const during = states.observed && actions.observed
    for (const subscription of held) subscription.unsubscribe()

    expect([before, during, states.observed, actions.observed]).toEqual([false, true, false, false])
  })

  it("calls a method that is an Observe on its object", () => {
    class Board {
      readonly cards = 1
      states(notify: (map: unknown) => void): () => void {
        notify({ cards: { schema: {}, value: this.cards } })
        return () => {}
      }
      actions(): () => void {
        return () => {}
      }
      execute(): void {}
    }

    expect(collect(toAgenticService(new Board()).states)).toEqual([{ cards: { schema: {}, value: 1 } }])
  })
})

describe("foreign states", () => {
  it("keeps a state with an equal primitive, and creates a new one for an object", () => {
    const schema = { type: "number" }
    const cards = ["one"]
    const map = (hp: number): object => ({ hp: { schema, value: hp }, cards: { schema, value: cards } })
    const states = new BehaviorSubject(map(1))
    const seen = collect(toAgenticService(seedOf({ states })).states)

    states.next(map(1))

    expect(seen[1]?.["hp"]).toBe(seen[0]?.["hp"])
    expect(seen[1]?.["cards"]).not.toBe(seen[0]?.["cards"])
  })

  it("does not emit equal states", () => {
    const states = new BehaviorSubject({ hp: { schema: true, value: 1 } })
    const seen = collect(toAgenticService(seedOf({ states })).states)

    states.next({ hp: { schema: true, value: 1 } })

    expect(seen).toHaveLength(1)
  })

  it("uses the schema's description, and an open schema for a missing one", () => {
    const states = of({ hp: { schema: { description: "Points" }, value: 1 }, odd: { value: undefined } })

    expect(collect(toAgenticService(seedOf({ states })).states)).toEqual([
      {
        hp: { schema: { description: "Points" }, value: 1, description: "Points" },
        odd: { schema: {}, value: undefined },
      },
    ])
  })

  it("leaves out entries that throw or are no states, and reports them once", () => {
    const throwing = {
      get value() {
        throw new Error("broken")
      },
    }
    const states = new BehaviorSubject<object>({ hp: { value: 1 }, throwing, number: 1 })
    const service = toAgenticService(seedOf({ states }))
    const failures: MemberFailure[] = collect(service.failures)
    const seen = collect(service.states)

    states.next({ hp: { value: 2 }, throwing, number: 1 })

    expect(seen.map((map) => Object.keys(map))).toEqual([["hp"], ["hp"]])
    expect(failures.map(({ key }) => key)).toEqual(["throwing", "number"])
  })

  it.each([null, undefined])("treats %s as an empty map", (map) => {
    const states = new BehaviorSubject<unknown>({ hp: { value: 1 } })
    const service = toAgenticService(seedOf({ states }))
    const failures = collect(service.failures)
    const seen = collect(service.states)

    states.next(map)

    expect(seen.at(-1)).toEqual({})
    expect(failures).toEqual([])
  })

  it.each([[[]], ["text"], [1]])("reports %s in place of a map", (map) => {
    const service = toAgenticService(seedOf({ states: of(map) }))
    const failures = collect(service.failures)

    expect(collect(service.states)).toEqual([{}])
    expect(failures).toMatchObject([{ kind: "state", cause: { code: "invalid_definition" } }])
  })

  it("shows no entries of a failed map, and reports it", () => {
    const states = new BehaviorSubject({ hp: { value: 1 } })
    const service = toAgenticService(seedOf({ states }))
    const failures = collect(service.failures)
    const seen = collect(service.states)

    states.error("broken")

    expect(seen.at(-1)).toEqual({})
    expect(failures).toEqual([{ kind: "state", cause: "broken" }])
  })

  it("accepts a frozen map, and keys that objects inherit", () => {
    const states = of(Object.freeze({ ["__proto__"]: { value: 1 }, constructor: { value: 2 } }))

    expect(collect(toAgenticService(seedOf({ states })).states).map((map) => Object.keys(map))).toEqual([
      ["__proto__", "constructor"],
    ])
  })
})

describe("foreign actions", () => {
  it("keeps the action of an unchanged entry", () => {
    const go = { description: "Go", execute: () => {} }
    const actions = new BehaviorSubject<object>({ go })
    const seen = collect(toAgenticService(seedOf({ actions })).actions)

    actions.next({ go, stop: { description: "Stop", execute: () => {} } })
    actions.next({})
    actions.next({ go })

    expect(seen[1]?.["go"]).toBe(seen[0]?.["go"])
    expect(seen[3]?.["go"]).toBe(seen[0]?.["go"])
  })

  it("leaves out an entry without execute, and reports it", () => {
    const service = toAgenticService(seedOf({ actions: of({ go: { description: "Go", execute: () => {} }, bad: {} }) }))
    const failures = collect(service.failures)

    expect(collect(service.actions).map((map) => Object.keys(map))).toEqual([["go"]])
    expect(failures).toMatchObject([{ kind: "action", key: "bad" }])
  })

  it("gives an action without a description one", () => {
    const { service } = actionOf({ description: undefined })

    expect(collect(service.actions)[0]?.["go"]?.description).toBe('Runs "go".')
  })

  it.each([{}, { schema: false }, { parameters: [] }])("calls %o with nothing, through the service", async (entry) => {
    const { service, calls } = actionOf(entry)

    expect(await service.execute("go", {})).toEqual({ ok: true })
    expect(calls).toEqual([["service", "go", undefined]])
  })

  it("uses the original interface's single schema for the input", async () => {
    const { service, calls } = actionOf({ schema: { type: "object", required: ["n"] } })

    await service.execute("go", { n: 1 })

    expect(calls).toEqual([["service", "go", { n: 1 }]])
  })

  it("unwraps a single parameter other than a plain object", async () => {
    const { service, calls } = actionOf({ parameters: [{ type: "number" }] })

    await service.execute("go", { value: 5 })

    expect(calls).toEqual([["service", "go", 5]])
  })

  it("calls the action itself with several parameters, in their order", async () => {
    const { service, calls } = actionOf({ parameters: [{ type: "number", title: "force" }, { type: "string" }] })

    await service.execute("go", { arg2: "x", force: 1 })

    expect(calls).toEqual([["action", 1, "x"]])
  })

  it("runs nothing on invalid input", async () => {
    const { service, calls } = actionOf({ parameters: [{ type: "number" }, { type: "string" }] })

    expect(await service.execute("go", { arg1: "1" })).toMatchObject({ ok: false, code: "invalid_input" })
    expect(calls).toEqual([])
  })

  it("does not run a removed action, even if somebody still holds it", async () => {
    const execute = (): void => {
      throw new Error("must not run")
    }
    const go = { description: "Go", parameters: [{}, {}], execute }
    const actions = new BehaviorSubject<object>({ go })
    const [map] = collect(toAgenticService(seedOf({ actions })).actions)
    const { signal } = new AbortController()

    actions.next({})

    const outcome = await map?.["go"]?.execute({ arg1: 1, arg2: 2 }, { signal, progress: () => {}, answers: {} })
    expect(outcome).toMatchObject({ ok: false, code: "not_available" })
  })

  it("treats a string as an error message", async () => {
    const foreign = { actions: of({ go: { execute: () => {} } }), execute: async () => "the card is taken" }

    expect(await toAgenticService(seedOf(foreign)).execute("go", {})).toEqual({
      ok: false,
      code: "action_failed",
      message: "the card is taken",
    })
  })

  it("treats a string as data with `stringResults: data`", async () => {
    const foreign = { actions: of({ go: { execute: () => {} } }), execute: async () => "hello" }
    const service = toAgenticService(seedOf(foreign), { stringResults: "data" })

    expect(await service.execute("go", {})).toEqual({ ok: true, value: "hello" })
  })

  it("treats a returned Error as a failure, and an object as a value", async () => {
    const returning = (value: unknown): Promise<unknown> =>
      toAgenticService(seedOf({ actions: of({ go: { execute: () => {} } }), execute: () => value })).execute("go", {})

    expect(await returning(new Error("no"))).toMatchObject({ ok: false, message: "no" })
    expect(await returning({ error: "no" })).toEqual({ ok: true, value: { error: "no" } })
  })

  it("reports a foreign action's error, and answers with an id", async () => {
    const execute = (): void => {
      throw new Error("secret")
    }
    const service = toAgenticService(seedOf({ actions: of({ go: { execute: () => {} } }), execute }))
    const failures = collect(service.failures)

    const outcome = await service.execute("go", {})

    expect(outcome).toEqual({ ok: false, code: "action_failed", message: `action failed (${failures[0]?.id})` })
    expect(failures).toMatchObject([{ kind: "action", key: "go", cause: new Error("secret") }])
  })

  it("checks schemas with keywords and cycles of the foreign library", async () => {
    const tree: Record<string, unknown> = { type: "object", layout: "std140", conditionals: [{ path: "$", value: {} }] }
    tree["properties"] = { child: tree, buffer: { type: "typed-buffer" } }
    const { service } = actionOf({ parameters: [tree] })

    expect(await service.execute("go", { child: { child: {} }, buffer: [1] })).toEqual({ ok: true })
    expect(await service.execute("go", { child: 1 })).toMatchObject({ ok: false, code: "invalid_input" })
  })
})

describe("foreign links", () => {
  it("wraps each service once, with its parent's description", () => {
    const child = seedOf({ serviceName: "child" })
    const links = new BehaviorSubject<object>({ child, gone: null })
    const seen = collect(toAgenticService(seedOf({ links, linkDescriptions: { child: "The child" } })).links)

    links.next({ child, gone: undefined })

    expect(seen).toEqual([{ child: { service: toAgenticService(child), description: "The child" } }])
  })

  it("follows a cycle back to the same wrapper", () => {
    const links = new BehaviorSubject<object>({})
    const foreign = seedOf({ links })
    const service = toAgenticService(foreign, { name: "root" })
    links.next({ self: foreign })

    expect(collect(service.links)[0]?.["self"]?.service).toBe(service)
  })

  it("links from a foreign service to one of ours and back", () => {
    const ours = createAgenticService({ name: "ours" })
    const foreign = seedOf({ links: of({ ours }) })
    // Untyped code may link to a foreign service directly.
    const service = createAgenticService({
      name: "x",
      links: { foreign: link({ service: foreign as unknown as null }) },
    })

    const there = collect(service.links)[0]?.["foreign"]?.service

    expect(there).toBe(toAgenticService(foreign))
    expect(there && collect(there.links)).toEqual([{ ours: { service: ours } }])
  })

  it("leaves out anything but services, and reports it", () => {
    const service = toAgenticService(seedOf({ links: of({ bad: {}, good: seedOf({}) }) }))
    const failures = collect(service.failures)

    expect(collect(service.links).map((map) => Object.keys(map))).toEqual([["good"]])
    expect(failures).toMatchObject([{ kind: "link", key: "bad", cause: { code: "not_a_service" } }])
  })
})
