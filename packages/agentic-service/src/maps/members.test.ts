import { BehaviorSubject, Observable, of, Subject } from "rxjs"
import { describe, expect, it } from "vitest"
import { action, createAgenticService, link, links, source, state, toAgenticService } from "../index.js"
import type { AgenticService, MemberFailure } from "../service.js"
import { liveMembersOf } from "./live-map.js"

/** Creates fifty actions with one condition, and counts its subscriptions. */
function createShared() {
  const is = new BehaviorSubject(false)
  let subscriptions = 0
  const when = new Observable<boolean>((subscriber) => {
    subscriptions += 1
    return is.subscribe(subscriber)
  })
  const go = (otherwise: string) => action({ description: "Go", when: { is: when, otherwise }, execute: () => {} })
  const actions = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`a${index}`, go(`not ${index}`)]))
  const states = { s: state({ schema: {}, value: 1, when }) }
  return { service: createAgenticService({ name: "x", actions, states }), is, count: () => subscriptions }
}

describe("a condition that members share", () => {
  it("is subscribed to once", () => {
    const { service, count, is } = createShared()
    const subscriptions = [service.actions.subscribe(), service.states.subscribe()]

    expect(count()).toBe(1)
    for (const subscription of subscriptions) subscription.unsubscribe()
    expect(is.observed).toBe(false)
  })

  it("is one change of the map", () => {
    const { service, is } = createShared()
    const sizes: number[] = []
    service.actions.subscribe((actions) => sizes.push(Object.keys(actions).length))

    is.next(true)
    is.next(false)

    expect(sizes).toEqual([0, 50, 0])
  })

  it("gives each member its own reason", () => {
    const { service } = createShared()
    service.actions.subscribe()

    expect(service.declared.actions["a7"]?.unavailable()).toBe("not 7")
  })
})

describe("liveMembersOf", () => {
  it("reports exactly the changed keys", () => {
    const a = new BehaviorSubject(1)
    const when = new BehaviorSubject(true)
    const service = createAgenticService({
      name: "x",
      states: {
        a: state({ schema: {}, value: a }),
        b: state({ schema: {}, value: 2, when }),
        c: state({ schema: {}, value: 3, when }),
      },
    })
    const members = liveMembersOf(service.states)
    const told: (readonly string[])[] = []
    const stop = members?.follow((keys) => told.push(keys))
    const before = [...(members?.keys() ?? [])]

    a.next(5)
    a.next(5)
    when.next(false)
    stop?.()
    stop?.()

    expect(before).toEqual(["a", "b", "c"])
    expect(told).toEqual([["a"], ["b", "c"]])
    expect(a.observed).toBe(false)
  })

  it("returns a key's item from the map", () => {
    const service = createAgenticService({ name: "x", states: { a: state({ schema: {}, value: 1 }) } })
    let fromMap: unknown
    service.states.subscribe(({ a }) => {
      fromMap = a
    })

    expect(liveMembersOf(service.states)?.find("a")).toBe(fromMap)
    expect(liveMembersOf(service.states)?.find("toString")).toBeUndefined()
  })

  it("reports changed keys of foreign maps", () => {
    const entry = { description: "Go", execute: async () => undefined }
    const actions = new BehaviorSubject<object>({ go: entry, stop: { ...entry } })
    const members = liveMembersOf(toAgenticService({ actions, execute: async () => undefined }).actions)
    const told: (readonly string[])[] = []
    members?.follow((keys) => told.push(keys))

    actions.next({ go: entry, wait: { ...entry } })
    actions.next({ go: entry })

    expect(told).toEqual([["stop", "wait"], ["wait"]])
  })

  it("belongs to a map, so that a service with another map stays separate", () => {
    const service = createAgenticService({ name: "x" })

    expect(liveMembersOf({ ...service, actions: of({}) }.actions)).toBeUndefined()
    expect(liveMembersOf({ ...service }.actions)).toBeDefined()
  })

  it("emits nothing once its service is closed, and keeps the last entries", () => {
    const a = new BehaviorSubject(1)
    const service = createAgenticService({ name: "x", states: { a: state({ schema: {}, value: a }) } })
    const members = liveMembersOf<{ value: unknown }>(service.states)
    const told: unknown[] = []
    const stop = members?.follow((keys) => told.push(keys))

    service.close()
    a.next(2)
    stop?.()

    expect(told).toEqual([])
    expect(members?.find("a")?.value).toBe(1)
    expect(a.observed).toBe(false)
  })
})

describe("a foreign map", () => {
  it("emits nothing before the service does: 'not yet' differs from 'none'", async () => {
    const actions = new Subject<object>()
    const service = toAgenticService({ actions, execute: async () => undefined })
    const seen: (readonly string[])[] = []
    service.actions.subscribe((map) => seen.push(Object.keys(map)))
    const before = [...seen]

    const early = await service.execute("go", {})
    actions.next({})

    expect(before).toEqual([])
    expect(seen).toEqual([[]])
    expect(early).toMatchObject({
      code: "not_available",
      message: expect.stringContaining("has not emitted its actions yet"),
    })
  })

  it("is empty immediately when the service has no map of that kind", () => {
    const service = toAgenticService({ actions: new Subject(), execute: async () => undefined })
    const seen: object[] = []
    service.states.subscribe((map) => seen.push(map))

    expect(seen).toEqual([{}])
  })
})

describe("a source that cannot be released", () => {
  const boom = new Error("boom")
  const throwing =
    <Value>(value: Value) =>
    (notify: (value: Value) => void) => {
      notify(value)
      return () => {
        throw boom
      }
    }

  it("is reported, and everything else is released", () => {
    const other = new BehaviorSubject(1)
    const child = createAgenticService({ name: "child" })
    const service = createAgenticService({
      name: "x",
      states: {
        s: state({ schema: {}, value: source.observe(throwing(1)) }),
        other: state({ schema: {}, value: other }),
      },
      links: {
        one: link({ service: source.observe(throwing(child)) }),
        many: links({ of: source.observe(throwing([1])), key: String, service: () => child }),
      },
    })
    const failures: MemberFailure[] = []
    service.failures.subscribe((failure) => failures.push(failure))
    let family: AgenticService = child
    service.states.subscribe()
    service.links.subscribe((map) => {
      family = map["many"]?.service ?? family
    })
    family.failures.subscribe((failure) => failures.push(failure))
    family.links.subscribe()

    family.close()
    service.close()

    expect(failures).toEqual([
      { kind: "link", cause: boom },
      { kind: "state", key: "s", cause: boom },
      { kind: "link", key: "one", cause: boom },
    ])
    expect(other.observed).toBe(false)
  })
})

describe("a condition that cannot be followed", () => {
  it.each<[string, unknown]>([
    ["a computed of Vue", { __v_isRef: true, value: false }],
    ["a signal", { get: () => false }],
    ["an atom", { init: false, read: () => false, toString: () => "atom" }],
    ["an accessor", () => false],
    ["an object", {}],
    ["a string", "no"],
    ["null", null],
  ])("is false, and reported: %s", async (_, when) => {
    const go = action({ description: "Delete all", destructive: true, when: when as boolean, execute: () => {} })
    const service = createAgenticService({ name: "x", actions: { go } })
    const failures: MemberFailure[] = []
    service.failures.subscribe((failure) => failures.push(failure))

    const outcome = await service.execute("go", {})

    expect(outcome).toMatchObject({ ok: false, code: "not_available" })
    expect(failures).toMatchObject([{ kind: "action", key: "go", cause: { code: "invalid_definition" } }])
  })
})
