import { describe, expect, it } from "vitest"
import { abortableOf, createStopSource, withStop } from "./abortable.js"

describe("createStopSource", () => {
  it("tells its listeners, and the signal it is asked for before or after, once", () => {
    const stop = createStopSource()
    const heard: string[] = []
    const removed = () => heard.push("removed")
    stop.addEventListener("abort", () => heard.push("listener"))
    stop.addEventListener("abort", removed)
    stop.removeEventListener("abort", removed)
    const signal = stop.toSignal()
    signal.addEventListener("abort", () => heard.push("signal"))

    stop.abort("why")
    stop.abort("again")

    expect(heard).toEqual(["listener", "signal"])
    expect([stop.aborted, stop.reason, signal.aborted, signal.reason]).toEqual([true, "why", true, "why"])
    expect(stop.toSignal()).toBe(signal)
  })

  it("gives a signal that has aborted already where it is asked late", () => {
    const stop = createStopSource()

    stop.abort()

    expect(stop.toSignal().aborted).toBe(true)
    expect(stop.toSignal().reason).toMatchObject({ name: "AbortError" })
  })
})

describe("abortableOf", () => {
  it("makes no signal of a context that has none yet, and takes any other at its word", () => {
    const stop = createStopSource()
    const context = withStop(stop, { answers: {} })

    expect(abortableOf(context)).toBe(stop)
    expect(abortableOf({ ...context })).toBe(stop)
    const { signal } = new AbortController()
    expect(abortableOf({ signal })).toBe(signal)
  })
})
