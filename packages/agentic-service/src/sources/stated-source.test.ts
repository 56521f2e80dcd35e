import { BehaviorSubject, Subject } from "rxjs"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { action, createAgenticService, type Source, source, state } from "../index.js"
import { followSource } from "./follow-source.js"

function follow(followed: Source<unknown>): { readonly heard: unknown[]; release(): void } {
  const heard: unknown[] = []
  const { release } = followSource(followed, {
    next: (value) => heard.push(value),
    fail: (fail) => heard.push({ fail }),
    trouble: (trouble) => heard.push({ trouble }),
  })
  return { heard, release }
}

const boom = new Error("boom")

describe("source.read", () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it("reads when followed, then once a second", () => {
    let value = 1
    const { heard, release } = follow(source.read(() => value))

    value = 2
    vi.advanceTimersByTime(1_000)
    value = 3
    vi.advanceTimersByTime(1_000)
    release()

    expect(heard).toEqual([1, 2, 3])
    expect(vi.getTimerCount()).toBe(0)
  })

  it("emits an object changed in place, but no equal one", () => {
    const todos = [{ done: false }]
    const { heard, release } = follow(source.read(() => [...todos]))

    vi.advanceTimersByTime(3_000)
    const quiet = heard.length
    todos[0] = { done: true }
    vi.advanceTimersByTime(1_000)
    release()

    expect([quiet, heard.length]).toEqual([1, 2])
  })

  it("emits an action's changes before the action settles", async () => {
    let count = 0
    const addOne = (): void => {
      count += 1
    }
    const service = createAgenticService({
      name: "counter",
      states: { count: state({ schema: { type: "integer" }, value: source.read(() => count) }) },
      actions: { add: action({ description: "Adds one", execute: addOne }) },
    })
    const seen: unknown[] = []
    const watching = service.states.subscribe(({ count }) => seen.push(count?.value))

    await service.execute("add", {})
    watching.unsubscribe()

    expect(seen).toEqual([0, 1])
  })

  it("reads once, then only when `changes` emits, if given", () => {
    const changes = new Subject<string>()
    let reads = 0
    const { heard, release } = follow(source.read(() => ++reads, { changes }))

    vi.advanceTimersByTime(5_000)
    changes.next("anything")
    release()

    expect(heard).toEqual([1, 2])
    expect(changes.observed).toBe(false)
  })

  it("reads once when `changes` replays", () => {
    const { heard } = follow(source.read(() => "value", { changes: new BehaviorSubject(0) }))

    expect(heard).toEqual(["value"])
  })

  it("removes the value when `changes` fails", () => {
    const changes = new Subject<void>()
    const { heard } = follow(source.read(() => 1, { changes }))

    changes.error(boom)

    expect(heard).toEqual([1, { fail: boom }])
  })

  it("fails while the function throws, and recovers", () => {
    let broken = true
    const { heard, release } = follow(
      source.read(() => {
        if (broken) throw boom
        return 1
      }),
    )

    vi.advanceTimersByTime(2_000)
    broken = false
    vi.advanceTimersByTime(1_000)
    release()

    expect(heard).toEqual([{ fail: boom }, 1])
  })

  it("calls the function without arguments", () => {
    const got: number[] = []
    const { release } = follow(source.read((...input: unknown[]) => got.push(input.length)))
    vi.advanceTimersByTime(1_000)
    release()

    expect(got.every((count) => count === 0)).toBe(true)
  })

  it.each<[string, unknown, string]>([
    ["a function that returns a promise", async () => 1, "returned a promise"],
    ["what is no function", 1, "source.read was given number, expected a function"],
  ])("refuses %s", (_, given, words) => {
    // Untyped code may do so.
    const { heard, release } = follow(source.read(given as () => unknown))
    release()

    expect(heard).toEqual([{ fail: expect.objectContaining({ message: expect.stringContaining(words) }) }])
  })
})

describe("source.observe", () => {
  it("calls the function when followed, and stops it", () => {
    const log: unknown[] = []
    const { heard, release } = follow(
      source.observe<number>((notify) => {
        log.push("start")
        notify(1)
        return () => log.push("stop")
      }),
    )

    release()

    expect([heard, log]).toEqual([[1], ["start", "stop"]])
  })

  it("reports a function that throws", () => {
    const { heard } = follow(
      source.observe(() => {
        throw boom
      }),
    )

    expect(heard).toEqual([{ fail: boom }])
  })

  it.each<[string, unknown, string]>([
    [
      "a function that returns nothing to stop it",
      () => undefined,
      "returned undefined, expected a function that ends the subscription",
    ],
    ["what is no function", null, "source.observe was given null, expected a function"],
  ])("refuses %s", (_, given, words) => {
    // Untyped code may do so.
    const { heard } = follow(source.observe(given as () => () => void))

    expect(heard).toEqual([{ fail: expect.objectContaining({ message: expect.stringContaining(words) }) }])
  })
})
