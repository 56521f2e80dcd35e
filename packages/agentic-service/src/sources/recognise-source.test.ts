import { describe, expect, it } from "vitest"
import { ServiceError } from "../service-error.js"
import { followSource } from "./follow-source.js"
import type { Source } from "./source.js"

function follow(source: unknown): { readonly heard: unknown[]; release(): void } {
  const heard: unknown[] = []
  // Sources of untyped applications.
  const { release } = followSource(source as Source<unknown>, {
    next: (value) => heard.push(value),
    fail: (fail) => heard.push(fail),
    trouble: (trouble) => heard.push(trouble),
  })
  return { heard, release }
}

/**
 * Creates a store like Svelte's: it accepts functions only, calls them with the value immediately, and calls a second function
 * before each change.
 */
function svelteStore(value: number) {
  const listeners = new Set<(value: number) => void>()
  return {
    subscribe(run: (value: number) => void, invalidate = () => {}) {
      invalidate()
      listeners.add(run)
      run(value)
      return () => listeners.delete(run)
    },
    set(next: number) {
      for (const run of listeners) run(next)
    },
  }
}

/** Creates an actor like XState's: a failing actor throws without an error listener, and a function counts as one without. */
function actor(snapshot: string) {
  type Observer = { next?(): void; error?(cause: unknown): void }
  const observers = new Set<Observer>()
  return {
    getSnapshot: () => snapshot,
    subscribe(observer: Observer | (() => void)) {
      observers.add(typeof observer === "function" ? { next: observer } : observer)
      return { unsubscribe: () => {} }
    },
    "@@observable"() {
      return this
    },
    fail(cause: unknown) {
      for (const { error } of observers) {
        if (!error) throw cause
        error(cause)
      }
    },
  }
}

describe("recogniseSource", () => {
  it("follows a store that accepts functions only, without affecting the application's listeners", () => {
    const store = svelteStore(1)
    const { heard, release } = follow(store)
    const own: number[] = []
    store.subscribe((value) => own.push(value))

    store.set(2)
    release()
    store.set(3)

    expect(heard).toEqual([1, 2])
    expect(own).toEqual([1, 2, 3])
  })

  it("follows a store that accepts observers only", () => {
    type Observer = { next(): void; error(cause: unknown): void; complete(): void }
    const observers: Observer[] = []
    let value = 1
    const store = {
      get: () => value,
      subscribe(observer: Observer) {
        observers.push(observer)
        return { unsubscribe: () => {} }
      },
    }
    const { heard } = follow(store)

    value = 2
    observers[0]?.next()

    expect(heard).toEqual([1, 2])
  })

  it("handles a failing actor's error, so that the process survives", () => {
    const failing = actor("active")
    const { heard } = follow(failing)
    const boom = new Error("boom")

    failing.fail(boom)

    expect(heard).toEqual(["active", boom])
  })

  it("reads the result of a query observer, which emits nothing on subscribe", () => {
    let notify = (): void => {}
    let result = { data: 1 }
    const observer = {
      getCurrentResult: () => result,
      subscribe(listener: () => void) {
        notify = listener
        return () => {}
      },
    }
    const { heard } = follow(observer)

    result = { data: 2 }
    notify()

    expect(heard).toEqual([{ data: 1 }, { data: 2 }])
  })

  it("disposes of a subscription with `dispose`", () => {
    let disposed = 0
    const observable = Object.assign(() => 1, {
      peek: () => 1,
      subscribe: () => ({ dispose: () => (disposed += 1) }),
    })
    const { heard, release } = follow(observable)

    release()

    expect(heard).toEqual([1])
    expect(disposed).toBe(1)
  })

  it.each([undefined, null, true, {}, Promise.resolve(() => {})])(
    "rejects a source whose subscribe returns %s, and stops listening",
    (answer) => {
      let notify = (_value: number): void => {}
      const { heard } = follow({
        subscribe(listener: (value: number) => void) {
          notify = listener
          return answer
        },
      })

      notify(1)

      expect(heard).toEqual([expect.objectContaining({ code: "invalid_definition" })])
    },
  )

  it("follows an async iterable, once per follower", async () => {
    let returned = 0
    const iterable = {
      async *[Symbol.asyncIterator]() {
        try {
          yield 1
          yield 2
          await new Promise(() => {})
        } finally {
          returned += 1
        }
      },
    }
    const one = follow(iterable)
    const two = follow(iterable)
    await new Promise((resolve) => setImmediate(resolve))

    one.release()
    two.release()

    expect([one.heard, two.heard]).toEqual([
      [1, 2],
      [1, 2],
    ])
    expect(returned).toBe(0)
  })

  it("ends an iteration", async () => {
    const ended: string[] = []
    const iterable = {
      [Symbol.asyncIterator]: () => ({
        next: () => new Promise<IteratorResult<number>>(() => {}),
        return: async () => {
          ended.push("returned")
          return { done: true as const, value: undefined }
        },
      }),
    }

    follow(iterable).release()

    expect(ended).toEqual(["returned"])
  })

  it("follows a generator once, and rejects the second time", async () => {
    const generator = (async function* () {
      yield 1
    })()
    const one = follow(generator)
    await new Promise((resolve) => setImmediate(resolve))
    one.release()

    expect(one.heard).toEqual([1])
    expect(follow(generator).heard).toEqual([expect.objectContaining({ code: "invalid_definition" })])
  })

  it("reports a failed iteration", async () => {
    const boom = new Error("boom")
    const { heard } = follow(
      (async function* () {
        yield 1
        throw boom
      })(),
    )
    await new Promise((resolve) => setImmediate(resolve))

    expect(heard).toEqual([1, boom])
  })
})

/** Creates an object with functions that must never be called. */
function methods(...names: readonly string[]): Record<string, (...input: unknown[]) => never> {
  const call = (): never => {
    throw new Error("was called")
  }
  return Object.fromEntries(names.map((name) => [name, call]))
}

describe("a function that may be a reader or a writer", () => {
  /** Creates a function like Apollo's `makeVar`, S.js and getters with a parameter: with an argument it writes. */
  function variable(first: unknown): (...input: unknown[]) => unknown {
    let value = first
    return (...input) => {
      if (input.length > 0) value = input[0]
      return value
    }
  }
  const withArgument = (it: (...input: unknown[]) => unknown) => (next?: unknown) =>
    next === undefined ? it() : it(next)

  it.each<[string, (it: (...input: unknown[]) => unknown) => (...input: unknown[]) => unknown, string]>([
    ["a getter and setter", withArgument, "it was not called"],
    ["a variable of any arguments", (it) => it, "it was not called"],
    [
      "a reactive variable of Apollo",
      (it) => Object.assign(withArgument(it), methods("onNextChange", "attachCache")),
      "it.onNextChange(",
    ],
    [
      "a stream of flyd",
      (it) => Object.assign(withArgument(it), methods("map", "ap", "pipe", "end")),
      "flyd.on(notify, it)",
    ],
    ["a stream of Mithril", (it) => Object.assign(withArgument(it), methods("map", "end")), "it.map(notify)"],
  ])("leaves %s as it was, and says what to write", (_, make, line) => {
    const it = variable("the application's")
    const { heard, release } = follow(make(it))
    release()

    expect(it()).toBe("the application's")
    expect(heard).toEqual([
      expect.objectContaining({ code: "invalid_definition", message: expect.stringContaining(line) }),
    ])
  })
})

describe("a reactive object that cannot be followed", () => {
  const signal = Symbol("mobx administration")

  it.each<[string, unknown, string]>([
    ["a ref of Vue", { __v_isRef: true, value: 1 }, "watch(it"],
    ["a box of MobX", { isMobXAtom: true, get: () => 1 }, "autorun("],
    ["an object of MobX", { [signal]: {}, n: 1 }, "autorun("],
    ["an atom of Jotai", { init: 1, read: () => 1, toString: () => "atom1" }, "store.sub("],
    ["a store of Pinia", { $subscribe: () => () => {}, $state: {} }, "$subscribe("],
    ["an observable of Legend-State", { get: () => 1, peek: () => 1, onChange: () => () => {} }, "onChange("],
    ["a stream of Effect 3", { [Symbol.for("effect/Stream")]: {} }, "Stream.runForEach(it.changes"],
    ["a stream of Effect", Object.create({ "~effect/Stream": {} }), "Stream.runForEach(it,"],
    ["a SubscriptionRef of Effect", Object.create({ "~effect/SubscriptionRef": {} }), "SubscriptionRef.changes(it)"],
    ["a store of Vuex", { ...methods("commit", "dispatch", "subscribe", "watch"), state: {} }, "it.watch("],
    ["a model of mobx-keystone", { $modelType: "x/Todo", $: {} }, "onSnapshot(it"],
    ["a model of MobX-State-Tree", { $treenode: {} }, "onSnapshot(it"],
    ["a state of Hookstate", { path: [], ...methods("get", "set", "merge", "nested") }, "@hookstate/subscribable"],
    ["an atom instance of Zedux", { getState: () => 1, store: methods("subscribe") }, "pass it.store"],
    ["an atom of Zedux", methods("getInstanceId", "override"), "ecosystem.getInstance(it).store"],
    ["a container of Loro", methods("toJSON", "subscribe"), "get: () => it.toJSON()"],
    ["a bus of topics", { subscribe: (_topic: string, _hear: () => void) => () => {} }, "written for its own API"],
    ["a bus that is published to", methods("subscribe", "publish"), "calls notify now"],
    ["a store that is read by key", { subscribe: () => () => {}, get: (key: string) => key }, "get: () => …"],
    ["a feed of events", { subscribe: () => () => {} }, "get: () => …"],
    ["a feed of changes of PouchDB", methods("then", "catch", "on", "cancel"), "calls notify now"],
    ["a query that runs once it is awaited", methods("then", "catch", "finally"), "a promise of its result"],
    [
      "a running query of RTK Query",
      Object.assign(Promise.resolve(), methods("refetch", "unsubscribe")),
      "select()(store.getState())",
    ],
    ["a readable stream", new ReadableStream(), "source.observe("],
    ["a signal of Angular", Object.assign(() => 1, { [Symbol("SIGNAL")]: {} }), "{ injector }"],
    ["an accessor", () => 1, "source.read(() => it())"],
    ["a function that takes something", (_value: unknown) => 1, "source.observe((notify) => …)"],
    ["a TC39 signal", { get: () => 1 }, "calls notify after each change"],
    ["a document of Yjs", Object.create({ observe: () => {} }), "calls notify now"],
    ["a store of TinyBase", { getContent: () => [], addTablesListener: () => "" }, "calls notify now"],
    ["an event target", new EventTarget(), "calls notify now"],
    ["a proxy of Valtio", new Proxy({ n: 1, list: [1] }, {}), "subscribe(it"],
    ["a proxy in plain data", { deep: [new Proxy({ n: 1 }, {})] }, "subscribe(it"],
  ])("refuses %s, with the line to write", (_, source, line) => {
    const [refused] = follow(source).heard

    expect(refused).toBeInstanceOf(ServiceError)
    expect(refused).toMatchObject({ code: "invalid_definition", message: expect.stringContaining(line) })
  })

  it.each<[string, unknown]>([
    ["an object", { on: true, watch: "no", nested: { get: 1 } }],
    ["a list", [1, { a: null }]],
    ["a date", new Date(0)],
    ["a map", new Map([["a", 1]])],
    ["bytes", new Uint8Array([1])],
    [
      "an instance of a class",
      new (class Card {
        title = "x"
      })(),
    ],
    ["an object with functions in it", { title: "x", format: () => "x" }],
    ["an object without a prototype", Object.assign(Object.create(null), { a: 1 })],
    ["what is nested very deep", Array.from({ length: 100_000 }).reduce<object>((inner) => ({ inner }), {})],
    ["what holds itself", ((self: Record<string, unknown>) => Object.assign(self, { self }))({})],
  ])("takes %s for a value", (_, value) => {
    const { heard } = follow(value)

    expect(heard).toHaveLength(1)
    expect(heard[0]).toBe(value)
  })
})
