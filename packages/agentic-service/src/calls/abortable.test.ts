import { describe, expect, it } from "vitest"
import { abortableOf, createStopSource, guardListeners, withStop } from "./abortable.js"

describe("createStopSource", () => {
  it("aborts its listeners and its signal once, whenever that is created", () => {
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

  it("returns an aborted signal after the abort", () => {
    const stop = createStopSource()

    stop.abort()

    expect(stop.toSignal().aborted).toBe(true)
    expect(stop.toSignal().reason).toMatchObject({ name: "AbortError" })
  })
})

describe("abortableOf", () => {
  it("creates no signal for a context without one, and uses any other context's signal", () => {
    const stop = createStopSource()
    const context = withStop(stop, { answers: {} })

    expect(abortableOf(context)).toBe(stop)
    expect(abortableOf({ ...context })).toBe(stop)
    const { signal } = new AbortController()
    expect(abortableOf({ signal })).toBe(signal)
  })
})

describe("guardListeners", () => {
  const broken = new Error("broken")
  const fail = (): never => {
    throw broken
  }

  it.each<[string, (signal: AbortSignal) => void]>([
    ["a listener throws", (signal) => signal.addEventListener("abort", fail)],
    ["a listener rejects with", (signal) => signal.addEventListener("abort", async () => fail(), { once: true })],
    ["an object that listens throws", (signal) => signal.addEventListener("abort", { handleEvent: fail })],
    ["onabort throws", (signal) => Object.assign(signal, { onabort: fail })],
    ["onabort rejects with", (signal) => Object.assign(signal, { onabort: async () => fail() })],
  ])("tells what %s, and others hear all the same", async (_, listen) => {
    const controller = new AbortController()
    const heard: unknown[] = []
    guardListeners(controller.signal, (cause) => heard.push(cause))
    listen(controller.signal)
    controller.signal.addEventListener("abort", () => heard.push("heard"))

    controller.abort()
    await Promise.resolve()
    await Promise.resolve()

    expect(heard).toHaveLength(2)
    expect(heard).toEqual(expect.arrayContaining([broken, "heard"]))
  })

  it("keeps the last handler of onabort and no removed one, like the platform", () => {
    const controller = new AbortController()
    const { signal } = controller
    const heard: string[] = []
    guardListeners(signal, () => {})
    const removed = () => heard.push("removed")
    signal.addEventListener("abort", removed)
    signal.removeEventListener("abort", removed)
    signal.onabort = () => heard.push("first")
    signal.onabort = () => heard.push("last")

    controller.abort()

    expect([heard, typeof signal.onabort]).toEqual([["last"], "function"])
    signal.onabort = null
    expect(signal.onabort).toBeNull()
  })
})
