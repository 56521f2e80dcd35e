import { BehaviorSubject, combineLatest, map, merge, Observable, Subject, scan, startWith } from "rxjs"
import { describe, expect, it } from "vitest"
import { settleSources } from "./end-of-run.js"
import { followSource } from "./follow-source.js"
import type { Source } from "./source.js"
import { source as stated } from "./stated-source.js"
import { toObservable } from "./to-observable.js"

/** Follows a source and records its emissions in order: failures as `{ fail }`, other errors as `{ trouble }`. */
function follow<Value>(source: Source<Value>): { readonly heard: unknown[]; release(): void } {
  const heard: unknown[] = []
  const { release } = followSource(source, {
    next: (value) => heard.push(value),
    fail: (fail) => heard.push({ fail }),
    trouble: (trouble) => heard.push({ trouble }),
  })
  return { heard, release }
}

/** Creates a store that may break for a while. */
function createStore(value: unknown) {
  const listeners = new Set<() => void>()
  let read = (): unknown => value
  return {
    store: {
      getState: () => read(),
      subscribe: (listener: () => void) => {
        listeners.add(listener)
        return () => listeners.delete(listener)
      },
    },
    set(next: unknown) {
      read = () => next
      for (const listener of [...listeners]) listener()
    },
    breakWith(cause: unknown) {
      read = () => {
        throw cause
      }
      for (const listener of [...listeners]) listener()
    },
    listeners,
  }
}

const boom = new Error("boom")
const endOfRun = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

describe("followSource", () => {
  it("reads a store again after an error, which it reports once", () => {
    const { store, set, breakWith } = createStore(1)
    const { heard } = follow(store)

    breakWith(boom)
    breakWith(boom)
    set(2)

    expect(heard).toEqual([1, { fail: boom }, 2])
  })

  it("keeps following a store that throws at first", () => {
    const { store, set, breakWith } = createStore(1)
    breakWith(boom)
    const { heard } = follow(store)

    set(2)

    expect(heard).toEqual([{ fail: boom }, 2])
  })

  it("reopens a pipe from a store at the store's next good change", () => {
    const { store, set, listeners } = createStore({ name: "Ada" })
    const { heard, release } = follow(toObservable<unknown>(store).pipe(map((user) => (user as { name: string }).name)))

    set(null)
    set(null)
    set({ name: "Bob" })
    set({ name: "Cy" })
    release()

    expect(heard).toEqual(["Ada", { fail: expect.any(TypeError) }, "Bob", "Cy"])
    expect(listeners.size).toBe(0)
  })

  it("reopens a pipe from a subject, too", () => {
    const user = new BehaviorSubject<{ name: string } | null>({ name: "Ada" })
    // A mistake of the application.
    const { heard } = follow(user.pipe(map((one) => (one as { name: string }).name)))

    user.next(null)
    user.next({ name: "Bob" })

    expect(heard).toEqual(["Ada", { fail: expect.any(TypeError) }, "Bob"])
  })

  it.each<[string, (act: () => void) => void]>([
    ["at once", (act) => act()],
    ["later", queueMicrotask],
  ])("starts a part of what goes on again, and lets go of it once, where it speaks %s", async (_, speak) => {
    let user: { name: string } | null = { name: "Ada" }
    let held = 0
    const notified = new Set<() => void>()
    const observe = (tell: (user: { name: string } | null) => void): (() => void) => {
      const notify = (): void => tell(user)
      held += 1
      notified.add(notify)
      speak(notify)
      return () => {
        held -= 1
        notified.delete(notify)
      }
    }
    const set = (next: typeof user): void => {
      user = next
      for (const notify of [...notified]) notify()
    }
    // A mistake of the application.
    const name = toObservable(stated.observe(observe)).pipe(map((one) => (one as { name: string }).name))
    const { heard, release } = follow(name)
    await endOfRun()

    set(null)
    await endOfRun()
    set({ name: "Bob" })
    await endOfRun()
    set({ name: "Cy" })
    await endOfRun()
    release()

    expect(heard).toEqual(["Ada", { fail: expect.any(TypeError) }, "Bob", "Cy"])
    expect(held).toBe(0)
  })

  it("reopens no root that has not emitted, or has failed itself", async () => {
    let runs = 0
    const other = new BehaviorSubject(0)
    const silent = (_notify: (value: number) => void): (() => void) => {
      runs += 1
      return () => {}
    }
    const failing = new Observable<number>((subscriber) => {
      runs += 1
      subscriber.next(1)
      subscriber.error(boom)
    })
    follow(toObservable<number>(failing).pipe(map((value) => value + 1)))
    follow(toObservable(stated.observe(silent)).pipe(map((value) => value + 1)))

    other.next(1)
    await endOfRun()

    expect(runs).toBe(2)
  })

  it("subscribes only once to a failed source that may be cold", () => {
    let runs = 0
    const other = new BehaviorSubject(0)
    const cold = new Observable<number>((subscriber) => {
      runs += 1
      subscriber.next(1)
      subscriber.error(boom)
    })
    follow(cold.pipe(map((value) => value + 1)))

    other.next(1)

    expect(runs).toBe(1)
  })

  it.each<[string, (n: Observable<number>) => Observable<unknown>]>([
    ["a pipe", (n) => n.pipe(map((value) => value === 1))],
    ["a pipe that makes objects", (n) => n.pipe(map((value) => ({ value })))],
    ["a combination", (n) => combineLatest([n, n.pipe(map((value) => value * 10))]).pipe(map(([a, b]) => a + b))],
  ])("ends with the truth where an application emits while it emits, in %s", async (_, pipe) => {
    const n = new BehaviorSubject(0)
    n.subscribe((value) => value === 1 && n.next(2))
    const { heard } = follow(pipe(n))

    n.next(1)
    await endOfRun()

    let truth: unknown
    pipe(n).subscribe((value) => (truth = value))
    expect(heard.at(-1)).toEqual(truth)
  })

  it("has the truth immediately when settled", () => {
    const n = new BehaviorSubject(0)
    n.subscribe((value) => value === 1 && n.next(2))
    const { heard } = follow(n.pipe(map((value) => value)))

    n.next(1)
    settleSources()

    expect(heard.at(-1)).toBe(2)
  })

  it("keeps following the subscription that found the truth", async () => {
    const n = new BehaviorSubject(0)
    n.subscribe((value) => value === 1 && n.next(2))
    const { heard, release } = follow(n.pipe(map((value) => value)))
    n.next(1)
    await endOfRun()

    n.next(5)

    expect(heard.at(-1)).toBe(5)
    release()
    expect(n.observed).toBe(true)
  })

  it.each<[string, (clicks: Subject<number>) => Observable<number>]>([
    [
      "from a subject",
      (clicks) =>
        clicks.pipe(
          scan((sum, by) => sum + by, 0),
          startWith(0),
        ),
    ],
    [
      "from a merge",
      (clicks) =>
        merge(clicks).pipe(
          scan((sum, by) => sum + by, 0),
          startWith(0),
        ),
    ],
  ])("leaves what it would start over as it is: a sum %s", async (_, sum) => {
    const clicks = new Subject<number>()
    const { heard } = follow(sum(clicks))

    clicks.next(1)
    clicks.next(1)
    await endOfRun()
    clicks.next(1)

    expect(heard).toEqual([0, 1, 2, 3])
  })

  it("does not read again a source without an immediate value", async () => {
    let runs = 0
    const source = new Subject<number>()
    const cold = new Observable<number>((subscriber) => {
      runs += 1
      return source.subscribe(subscriber)
    })
    const { heard } = follow(cold)

    source.next(1)
    source.next(2)
    await endOfRun()

    expect(heard).toEqual([1, 2])
    expect(runs).toBe(1)
  })

  it("reports an error of the release, and nothing afterwards", () => {
    let notify = (_value: number): void => {}
    const { heard, release } = follow(
      stated.observe<number>((report) => {
        notify = report
        return () => {
          throw boom
        }
      }),
    )

    release()
    notify(1)
    release()

    expect(heard).toEqual([{ trouble: boom }])
  })

  it("treats a rejected value as a failure, until a good one", () => {
    const source = new BehaviorSubject(1)
    const heard: unknown[] = []
    followSource(source, {
      next(value) {
        if (value === 2) throw boom
        heard.push(value)
      },
      fail: (fail) => heard.push({ fail }),
      trouble: () => {},
    })

    source.next(2)
    source.next(2)
    source.next(3)

    expect(heard).toEqual([1, { fail: boom }, 3])
  })

  it("never throws into the application's own emission", () => {
    const source = new Subject<number>()
    followSource(source, {
      next() {
        throw boom
      },
      fail: () => {},
      trouble: () => {},
    })
    const after: number[] = []
    source.subscribe((value) => after.push(value))

    source.next(1)

    expect(after).toEqual([1])
  })
})
