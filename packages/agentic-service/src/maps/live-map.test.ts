import fc from "fast-check"
import { BehaviorSubject, config, Subject } from "rxjs"
import { afterEach, describe, expect, it } from "vitest"
import { followSource } from "../sources/follow-source.js"
import { createConditions } from "./conditions.js"
import { createLiveMap, type Entries, type LiveMap } from "./live-map.js"
import { absent, createMemberFeed, type Member, type Presence } from "./member-feed.js"

type Box = { readonly value: number }

/** Creates a live map over subjects: a member is visible while its subject holds a number. */
function liveMapOf(sources: Readonly<Record<string, Subject<number | undefined>>>): LiveMap<Box> {
  const toPresence = (value: number | undefined): Presence<Box> =>
    value === undefined ? absent("no number") : { visible: true, item: { value } }
  const toMember = (source: Subject<number | undefined>): Member<Box> => ({
    follow: (sink) => followSource(source, { ...sink, next: (value) => sink.next(toPresence(value)) }),
  })
  const members = Object.entries(sources).map(([key, source]) => [key, toMember(source)] as const)
  return createLiveMap(createMemberFeed(new Map(members), { conditions: createConditions(), failed: () => {} }))
}

function collect(live: LiveMap<Box>): { readonly seen: Entries<Box>[]; stop(): void } {
  const seen: Entries<Box>[] = []
  const subscription = live.changes.subscribe((entries) => seen.push(entries))
  return { seen, stop: () => subscription.unsubscribe() }
}

afterEach(() => {
  config.onUnhandledError = null
})

describe("createLiveMap", () => {
  it("emits the first map once during the subscription, even if every source emits", () => {
    const { seen } = collect(
      liveMapOf({ a: new BehaviorSubject<number | undefined>(1), b: new BehaviorSubject<number | undefined>(2) }),
    )

    expect(seen).toEqual([{ a: { value: 1 }, b: { value: 2 } }])
  })

  it("does not wait for a silent member", () => {
    const { seen } = collect(liveMapOf({ silent: new Subject(), a: new BehaviorSubject<number | undefined>(1) }))

    expect(seen).toEqual([{ a: { value: 1 } }])
  })

  it("emits the current map to a late subscriber immediately", () => {
    const a = new BehaviorSubject<number | undefined>(1)
    const live = liveMapOf({ a })
    const early = collect(live)
    a.next(2)

    const late = collect(live)

    expect(late.seen).toEqual([{ a: { value: 2 } }])
    expect(late.seen[0]).toBe(early.seen[1])
  })

  it("subscribes to each source once for all listeners, and releases it with the last", () => {
    const a = new BehaviorSubject<number | undefined>(1)
    let subscriptions = 0
    const live = createLiveMap<Box>({
      connect: () => {
        subscriptions += 1
        return () => {
          subscriptions -= 1
        }
      },
      spoken: () => true,
      keys: () => ["a"],
      find: () => ({ value: a.value ?? 0 }),
    })
    const one = collect(live)
    const two = collect(live)
    const held = subscriptions

    one.stop()
    two.stop()

    expect(held).toBe(1)
    expect(subscriptions).toBe(0)
  })

  it("starts from the current values for a first subscriber after the last one left", () => {
    const a = new BehaviorSubject<number | undefined>(1)
    const live = liveMapOf({ a })
    collect(live).stop()

    a.next(undefined)

    expect(collect(live).seen).toEqual([{}])
  })

  it("releases its sources when the first map is enough", () => {
    const a = new BehaviorSubject<number | undefined>(1)
    const live = liveMapOf({ a })

    const subscription = live.changes.subscribe(() => {})
    subscription.unsubscribe()

    expect(a.observed).toBe(false)
  })

  it("does not emit an unchanged member", () => {
    const hidden = new BehaviorSubject<number | undefined>(undefined)
    const { seen } = collect(liveMapOf({ hidden }))

    hidden.next(undefined)

    expect(seen).toEqual([{}])
  })

  it("keeps the object of a member that did not change", () => {
    const b = new BehaviorSubject<number | undefined>(1)
    const { seen } = collect(liveMapOf({ a: new BehaviorSubject<number | undefined>(1), b }))

    b.next(2)

    expect(seen[1]?.["a"]).toBe(seen[0]?.["a"])
  })

  it("is right at the end of a diamond", () => {
    const source = new BehaviorSubject<number | undefined>(1)
    const { seen } = collect(liveMapOf({ left: source, right: source }))

    source.next(2)

    expect(seen.at(-1)).toEqual({ left: { value: 2 }, right: { value: 2 } })
  })

  it("emits the newest map last to every listener when one of them emits again", () => {
    const a = new BehaviorSubject<number | undefined>(1)
    const live = liveMapOf({ a })
    const before = collect(live)
    live.changes.subscribe((entries) => entries["a"]?.value === 2 && a.next(3))
    const after = collect(live)

    a.next(2)

    expect(before.seen.at(-1)).toEqual({ a: { value: 3 } })
    expect(after.seen.at(-1)).toEqual({ a: { value: 3 } })
  })

  it("uses constant stack depth while listeners keep emitting", () => {
    const a = new BehaviorSubject<number | undefined>(0)
    const live = liveMapOf({ a })
    live.changes.subscribe(({ a: box }) => box && box.value < 20_000 && a.next(box.value + 1))

    expect(collect(live).seen).toEqual([{ a: { value: 20_000 } }])
  })

  it("emits nothing to a listener that left during an emission", () => {
    const a = new BehaviorSubject<number | undefined>(1)
    const live = liveMapOf({ a })
    const leaving: { stop(): void }[] = []
    live.changes.subscribe((entries) => entries["a"]?.value === 2 && leaving[0]?.stop())
    const last = collect(live)
    leaving.push(last)

    a.next(2)

    expect(last.seen).toEqual([{ a: { value: 1 } }])
  })

  it("accepts a listener that joins during an emission", () => {
    const a = new BehaviorSubject<number | undefined>(1)
    const live = liveMapOf({ a })
    const seen: unknown[] = []
    const subscription = live.changes.subscribe((entries) => {
      if (entries["a"]?.value === 2) live.changes.subscribe((inner) => seen.push(inner))
    })

    a.next(2)
    subscription.unsubscribe()

    expect(seen).toEqual([{ a: { value: 2 } }])
  })

  it("starts again for a listener that returns during an emission", () => {
    const a = new BehaviorSubject<number | undefined>(1)
    const live = liveMapOf({ a })
    const seen: unknown[] = []
    const first = live.changes.subscribe((entries) => {
      if (entries["a"]?.value !== 2) return
      first.unsubscribe()
      live.changes.subscribe((inner) => seen.push(inner))
    })

    a.next(2)
    a.next(3)

    expect(seen).toEqual([{ a: { value: 2 } }, { a: { value: 3 } }])
  })

  it("keeps a listener's errors from its siblings and the source", async () => {
    const reported = new Promise((resolve) => {
      config.onUnhandledError = resolve
    })
    const a = new BehaviorSubject<number | undefined>(1)
    const live = liveMapOf({ a })
    live.changes.subscribe((entries) => {
      if (entries["a"]?.value === 2) throw new Error("broken listener")
    })
    const sibling = collect(live)

    a.next(2)

    expect(sibling.seen.at(-1)).toEqual({ a: { value: 2 } })
    expect(await reported).toEqual(new Error("broken listener"))
  })

  it("keeps the last value of a completed source", () => {
    const a = new BehaviorSubject<number | undefined>(1)
    const b = new BehaviorSubject<number | undefined>(1)
    const live = liveMapOf({ a, b })
    const { seen } = collect(live)

    a.complete()
    b.next(2)

    expect(seen.at(-1)).toEqual({ a: { value: 1 }, b: { value: 2 } })
  })

  it("completes and releases its sources when closed, and stays closed", () => {
    const a = new BehaviorSubject<number | undefined>(1)
    const live = liveMapOf({ a })
    let completed = 0
    live.changes.subscribe({ complete: () => (completed += 1) })

    live.close()
    live.close()
    live.changes.subscribe({ complete: () => (completed += 1) })

    expect(completed).toBe(2)
    expect(a.observed).toBe(false)
  })

  it("ends with its sources' values, after any emissions and subscribers", () => {
    const step = fc.record({
      key: fc.constantFrom("a", "b", "__proto__", "constructor"),
      value: fc.option(fc.integer({ min: 0, max: 3 }), { nil: undefined }),
      join: fc.boolean(),
      leave: fc.boolean(),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const names = ["a", "b", "__proto__", "constructor"]
        const sources = new Map(names.map((key) => [key, new BehaviorSubject<number | undefined>(undefined)]))
        const live = liveMapOf(Object.fromEntries(sources))
        const readers = [collect(live)]
        for (const { key, value, join, leave } of steps) {
          sources.get(key)?.next(value)
          if (join) readers.push(collect(live))
          if (leave) readers.pop()?.stop()
        }
        const truth = [...sources].flatMap(([key, { value }]) => (value === undefined ? [] : [[key, { value }]]))

        for (const { seen } of readers) expect(Object.entries(seen.at(-1) ?? {})).toEqual(truth)
        for (const reader of readers) reader.stop()
        expect([...sources.values()].some((source) => source.observed)).toBe(false)
      }),
      { numRuns: 500 },
    )
  })
})
