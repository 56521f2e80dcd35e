import fc from "fast-check"
import {
  asapScheduler,
  BehaviorSubject,
  combineLatest,
  concat,
  defer,
  distinctUntilChanged,
  filter,
  interval,
  map,
  NEVER,
  Observable,
  type OperatorFunction,
  observeOn,
  of,
  range,
  retry,
  Subject,
  share,
  shareReplay,
  startWith,
  switchMap,
  take,
} from "rxjs"
import { describe, expect, it } from "vitest"
import { followSource } from "./follow-source.js"
import type { Source } from "./source.js"

const boom = new Error("boom")

/** Follows a source and records its emissions in order, failures as `"failed"`. */
function follow(source: Source<unknown>) {
  const heard: unknown[] = []
  const troubles: unknown[] = []
  const { release } = followSource(source, {
    next: (value) => heard.push(value),
    fail: () => heard.push("failed"),
    trouble: (cause) => troubles.push(cause),
  })
  return { heard, troubles, release }
}

const endOfTask = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

const positive = map((value: number) => {
  if (value < 0) throw boom
  return value
})

/** Counts the subscriptions of an observable, in total and at once. */
function counted<Value>(inner: Observable<Value>) {
  const counts = { runs: 0, held: 0 }
  const source = new Observable<Value>((subscriber) => {
    counts.runs += 1
    counts.held += 1
    subscriber.add(() => {
      counts.held -= 1
    })
    return inner.subscribe(subscriber)
  })
  return { source, counts }
}

describe("a pipe that has failed", () => {
  it.each<[string, (a: Subject<number>) => Observable<number>]>([
    ["a combination", (a) => combineLatest([a, of(1)]).pipe(map(([value]) => value))],
    ["a factory", (a) => defer(() => a)],
    ["what replays", (a) => a.pipe(shareReplay({ bufferSize: 1, refCount: true }))],
    ["another pipe", (a) => a.pipe(map((value) => value))],
    ["what goes on after a failure of its own", (a) => a.pipe(retry())],
  ])("comes back with the next good value of %s, which is subscribed once", (_, begin) => {
    const a = new BehaviorSubject(1)
    const { source, counts } = counted(begin(a))
    const { heard, release } = follow(
      source.pipe(
        positive,
        map((value) => value * 10),
      ),
    )

    a.next(-1)
    a.next(-2)
    a.next(3)
    a.next(4)

    expect(heard).toEqual([10, "failed", 30, 40])
    expect(counts).toEqual({ runs: 1, held: 1 })
    release()
    expect(counts.held).toBe(0)
    expect(a.observed).toBe(false)
  })

  it("recovers even if the application subscribes to its shared root", () => {
    const a = new BehaviorSubject(1)
    const shared = a.pipe(positive, share())
    const errors: unknown[] = []
    shared.subscribe({ error: (error) => errors.push(error) })
    const { heard, release } = follow(shared)

    a.next(-1)
    a.next(-2)
    a.next(3)

    expect(errors).toEqual([boom])
    expect(heard).toEqual(["failed", 3])
    release()
    expect(a.observed).toBe(false)
  })

  it("releases its root while it is failing", () => {
    const a = new BehaviorSubject(1)
    const { release } = follow(a.pipe(positive))
    a.next(-1)

    release()

    expect(a.observed).toBe(false)
  })

  it("ends when its root ends", () => {
    const a = new Subject<number>()
    const { source, counts } = counted(a)
    const { heard } = follow(source.pipe(positive))
    a.next(-1)

    a.complete()

    expect(heard).toEqual(["failed"])
    expect(counts).toEqual({ runs: 1, held: 0 })
  })

  it("recovers when its operators subscribe late", async () => {
    const a = new BehaviorSubject(1)
    const { heard, release } = follow(a.pipe(observeOn(asapScheduler), positive))
    await endOfTask()
    a.next(-1)
    await endOfTask()

    a.next(2)
    await endOfTask()
    release()

    expect(heard).toEqual([1, "failed", 2])
    expect(a.observed).toBe(false)
  })
})

describe("a pipe", () => {
  it.each<[string, OperatorFunction<boolean, boolean>]>([
    ["holds back what is the same", distinctUntilChanged()],
    ["answers later", observeOn(asapScheduler)],
    ["switches", switchMap((value) => of(value))],
  ])("ends with the truth where an application emits while it emits, though it %s", async (_, operator) => {
    const open = new BehaviorSubject(false)
    open.subscribe((value) => value && open.next(false))
    const { heard, release } = follow(
      open.pipe(
        map((value) => value),
        operator,
      ),
    )

    open.next(true)
    await endOfTask()

    expect(heard.at(-1)).toBe(false)
    release()
    expect(open.observers).toHaveLength(1)
  })

  it("ends with the truth even on a combination that withholds equal values", async () => {
    const open = new BehaviorSubject(false)
    open.subscribe((value) => value && open.next(false))
    const both = combineLatest([open, of(true)])
    const { heard } = follow(
      both.pipe(
        map(([one, other]) => one && other),
        distinctUntilChanged(),
      ),
    )

    open.next(true)
    await endOfTask()

    expect(heard.at(-1)).toBe(false)
  })

  it("is not subscribed to again when its root has no immediate value", async () => {
    const a = new Subject<number>()
    const { source, counts } = counted(a)
    const { heard } = follow(source.pipe(startWith(0)))

    a.next(1)
    a.next(2)
    await endOfTask()

    expect(heard).toEqual([0, 1, 2])
    expect(counts.runs).toBe(1)
  })

  it("ends an endless root once it has enough", () => {
    const { heard } = follow(range(0, Number.POSITIVE_INFINITY).pipe(take(3)))

    expect(heard).toEqual([2])
  })

  it.each<[string, () => Observable<unknown>]>([
    ["ended", () => of(1, 2, 3).pipe(filter((value) => value > 1))],
    ["silent", () => NEVER.pipe(map(String))],
    ["timed", () => interval(1_000).pipe(startWith(0))],
    ["chained", () => concat(of(1), of(2)).pipe(map(String))],
  ])("holds nothing once it is released: one that is %s", (_, make) => {
    const { source, counts } = counted(make())
    const { release, troubles } = follow(source.pipe(map(String)))

    release()

    expect(counts).toEqual({ runs: 1, held: 0 })
    expect(troubles).toEqual([])
  })

  it("emits like rxjs for any values, as long as nothing fails", async () => {
    const operators: OperatorFunction<number, number>[] = [
      map((value) => value + 1),
      filter((value) => value % 3 !== 0),
      distinctUntilChanged(),
      switchMap((value) => of(value, value * 2)),
      take(5),
      startWith(7),
    ]
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...operators), { minLength: 1, maxLength: 4 }),
        fc.array(fc.nat(9), { maxLength: 8 }),
        async (chosen, values) => {
          const a = new BehaviorSubject(0)
          const pipe = chosen.reduce<Observable<number>>((below, operator) => below.pipe(operator), a)
          const { heard, release } = follow(pipe)
          const expected: number[] = []
          const subscription = pipe.subscribe((value) => expected.push(value))
          for (const value of values) {
            a.next(value)
            await Promise.resolve()
          }

          // Of several emissions during the subscription, only the last counts.
          expect(heard).toEqual(expected.slice(expected.length - heard.length))
          expect(heard.at(-1)).toEqual(expected.at(-1))
          subscription.unsubscribe()
          release()
          expect(a.observed).toBe(false)
        },
      ),
      { numRuns: 200 },
    )
  })
})
