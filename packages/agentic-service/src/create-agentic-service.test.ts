import { BehaviorSubject, Observable, of, Subject, throwError } from "rxjs"
import { describe, expect, it } from "vitest"
import { z } from "zod"
import { action, createAgenticService, link, state } from "./index.js"
import type { MemberFailure } from "./service.js"

const Count = { type: "integer" } as const

/** Collects a stream's emissions. */
function collect<Value>(stream: Observable<Value>): Value[] {
  const seen: Value[] = []
  stream.subscribe((value) => seen.push(value))
  return seen
}

describe("createAgenticService", () => {
  it("shows a state while its condition holds", () => {
    const count = new BehaviorSubject(1)
    const when = new BehaviorSubject(false)
    const states = {
      count: state({ description: "The count", schema: Count, value: count, when }),
    }
    const seen = collect(createAgenticService({ name: "counter", states }).states)

    when.next(true)
    count.next(2)

    const shown = { description: "The count", schema: Count }
    expect(seen).toEqual([{}, { count: { ...shown, value: 1 } }, { count: { ...shown, value: 2 } }])
  })

  it("does not emit an unchanged primitive, NaN included", () => {
    const value = new BehaviorSubject<number>(Number.NaN)
    const seen = collect(createAgenticService({ name: "x", states: { n: state({ schema: true, value }) } }).states)

    value.next(Number.NaN)

    expect(seen).toHaveLength(1)
  })

  it("emits a repeated object, because it may have been changed in place", () => {
    const cards = ["one"]
    const value = new BehaviorSubject(cards)
    const seen = collect(createAgenticService({ name: "x", states: { cards: state({ schema: true, value }) } }).states)

    cards.push("two")
    value.next(cards)

    expect(seen).toHaveLength(2)
    expect(seen[1]?.["cards"]).not.toBe(seen[0]?.["cards"])
  })

  it("keeps a state's object when only its condition emits", () => {
    const when = new BehaviorSubject(true)
    const states = { cards: state({ schema: true, value: of(["one"]), when }) }
    const seen = collect(createAgenticService({ name: "x", states }).states)

    when.next(true)

    expect(seen).toHaveLength(1)
  })

  it("leaves out a state without a schema or media type, and reports it", () => {
    // Untyped code may do so.
    const states = { s: state({ value: 1 } as unknown as { readonly mediaType: string; readonly value: string }) }
    const service = createAgenticService({ name: "x", states })
    const failures = collect(service.failures)

    expect(collect(service.states)).toEqual([{}])
    expect(failures).toMatchObject([{ kind: "state", key: "s", cause: { code: "invalid_definition" } }])
  })

  it("treats a non-boolean condition as false, reports it, and continues", () => {
    const when = new BehaviorSubject<unknown>("yes")
    // Untyped code may give a store of other values than booleans.
    const actions = { go: action({ description: "Go", when: when as Observable<boolean>, execute: () => {} }) }
    const service = createAgenticService({ name: "x", actions })
    const failures = collect(service.failures)
    const seen = collect(service.actions)

    when.next("still")
    when.next(true)

    expect(seen.map((map) => Object.keys(map))).toEqual([[], ["go"]])
    expect(failures).toMatchObject([{ kind: "action", key: "go", cause: { code: "invalid_definition" } }])
  })

  it("hides a member whose condition is silent, not its siblings", () => {
    const when = new Subject<boolean>()
    const actions = {
      late: action({ description: "Late", when, execute: () => {} }),
      go: action({ description: "Go", execute: () => {} }),
    }
    const service = createAgenticService({ name: "x", actions })
    const seen = collect(service.actions)

    when.next(true)

    expect(seen.map((map) => Object.keys(map))).toEqual([["go"], ["late", "go"]])
    expect(seen[1]?.["go"]).toBe(seen[0]?.["go"])
  })

  it("gives the reason for a declared member's absence, while somebody is subscribed", () => {
    const service = createAgenticService({
      name: "x",
      states: { silent: state({ schema: true, value: new Subject() }) },
      actions: {
        undo: action({
          description: "Undo",
          when: { is: of(false), otherwise: "there is no history" },
          execute: () => {},
        }),
        go: action({ description: "Go", execute: () => {} }),
      },
    })
    const { undo, go } = service.declared.actions
    const before = undo?.unavailable()

    service.actions.subscribe()
    service.states.subscribe()

    expect(before).toBeUndefined()
    expect(undo?.unavailable()).toBe("there is no history")
    expect(go?.unavailable()).toBeUndefined()
    expect(service.declared.states["silent"]?.unavailable()).toBe("it has no value yet")
  })

  it("gives the author's reason even while the value is silent", () => {
    const when = { is: of(false), otherwise: "no board is open" }
    const service = createAgenticService({
      name: "x",
      states: { cards: state({ schema: true, value: new Subject(), when }) },
    })

    service.states.subscribe()

    expect(service.declared.states["cards"]?.unavailable()).toBe("no board is open")
  })

  it("drops only the member whose source fails, and reports it", () => {
    const source = new BehaviorSubject(1)
    const service = createAgenticService({
      name: "x",
      states: { bad: state({ schema: Count, value: source }), good: state({ schema: Count, value: of(1) }) },
    })
    const failures = collect(service.failures)
    const seen = collect(service.states)

    source.error("broken")

    expect(seen.map((map) => Object.keys(map))).toEqual([["bad", "good"], ["good"]])
    expect(failures).toEqual([{ kind: "state", key: "bad", cause: "broken" }])
    expect(service.declared.states["bad"]?.unavailable()).toBe("it has failed")
  })

  it("leaves out a member that cannot be declared, and reports it", () => {
    const service = createAgenticService({
      name: "x",
      actions: {
        when: action({
          description: "Takes a date",
          input: z.object({ at: z.map(z.string(), z.string()) }),
          execute: () => {},
        }),
        go: action({ description: "Go", execute: () => {} }),
      },
    })
    const failures: MemberFailure[] = collect(service.failures)
    const seen = collect(service.actions)

    expect(seen.map((map) => Object.keys(map))).toEqual([["go"]])
    expect(failures).toMatchObject([{ kind: "action", key: "when" }])
    expect(Object.keys(service.declared.actions)).toEqual(["go"])
  })

  it("reports an action that is long in an impossible way", async () => {
    const long = JSON.parse('{"ttlMs":0}')
    const service = createAgenticService({
      name: "x",
      actions: { go: action({ description: "Go", long, execute: () => undefined }) },
    })
    const failures: unknown[] = []
    service.failures.subscribe((failure) => failures.push(failure))
    service.actions.subscribe()

    expect(failures).toMatchObject([{ kind: "action", key: "go", cause: { code: "invalid_definition" } }])
  })

  it("declares each action with its schemas and hints", () => {
    const output = z.object({ id: z.string() })
    const service = createAgenticService({
      name: "x",
      actions: {
        add: action({
          title: "Add",
          description: "Add a card",
          input: Count,
          output,
          idempotent: true,
          toolName: "add_card",
          execute: () => ({ id: "1" }),
        }),
      },
    })

    expect(service.declared.actions["add"]?.definition).toEqual({
      title: "Add",
      description: "Add a card",
      schema: Count,
      output: output["~standard"].jsonSchema.output({ target: "draft-2020-12" }),
      hints: { destructive: false, idempotent: true },
      toolName: "add_card",
    })
  })

  it("subscribes to nothing before its first subscriber, and holds nothing after its last", () => {
    const value = new BehaviorSubject(1)
    const when = new BehaviorSubject(true)
    const service = createAgenticService({ name: "x", states: { n: state({ schema: Count, value, when }) } })
    const before = value.observed || when.observed

    const subscription = service.states.subscribe()
    const during = value.observed && when.observed
    subscription.unsubscribe()

    expect([before, during, value.observed, when.observed]).toEqual([false, true, false, false])
  })

  it("releases every source even if one of them throws", () => {
    const value = new BehaviorSubject(1)
    const broken = new Observable<number>(() => () => {
      throw new Error("cannot stop")
    })
    const service = createAgenticService({
      name: "x",
      states: { broken: state({ schema: Count, value: broken }), n: state({ schema: Count, value }) },
    })
    const failures = collect(service.failures)

    service.states.subscribe().unsubscribe()

    expect(value.observed).toBe(false)
    expect(failures).toMatchObject([{ kind: "state", key: "broken" }])
  })

  it("shows a link while it has a service", () => {
    const card = createAgenticService({ name: "card" })
    const open = new BehaviorSubject<typeof card | null>(null)
    const service = createAgenticService({
      name: "x",
      links: { open: link({ description: "The open card", service: open }) },
    })
    const seen = collect(service.links)

    open.next(card)
    open.next(card)
    open.next(null)

    expect(seen).toEqual([{}, { open: { description: "The open card", service: card } }, {}])
    expect(service.declared.links["open"]?.unavailable()).toBe("it has no service at the moment")
  })

  it("drops a link to anything but a service, and reports it", () => {
    // Untyped code may give anything.
    const nonsense = of({} as unknown as null)
    const service = createAgenticService({ name: "x", links: { open: link({ service: nonsense }) } })
    const failures = collect(service.failures)

    expect(collect(service.links)).toEqual([{}])
    expect(failures).toMatchObject([{ kind: "link", key: "open", cause: { code: "not_a_service" } }])
  })

  it("treats keys such as __proto__ and constructor as ordinary keys", () => {
    const one = state({ schema: Count, value: 1 })
    const service = createAgenticService({ name: "x", states: { ["__proto__"]: one, constructor: one } })

    expect(collect(service.states).map((map) => Object.keys(map))).toEqual([["__proto__", "constructor"]])
    expect(Object.keys(service.declared.states)).toEqual(["__proto__", "constructor"])
  })

  it("completes every map when closed, even repeatedly", () => {
    const value = new BehaviorSubject(1)
    const service = createAgenticService({ name: "x", states: { n: state({ schema: Count, value }) } })
    const completed: string[] = []
    service.states.subscribe({ complete: () => completed.push("states") })
    service.actions.subscribe({ complete: () => completed.push("actions") })
    service.links.subscribe({ complete: () => completed.push("links") })

    service.close()
    service.close()

    expect(completed).toEqual(["states", "actions", "links"])
    expect(value.observed).toBe(false)
  })

  it("reports a failing source on each new subscription", () => {
    const states = { bad: state({ schema: Count, value: throwError(() => "broken") }) }
    const service = createAgenticService({ name: "x", states })
    const failures = collect(service.failures)

    service.states.subscribe().unsubscribe()
    service.states.subscribe().unsubscribe()

    expect(failures).toHaveLength(2)
  })
})
