import { describe, expect, it } from "vitest"
import { createAgenticService, state } from "../index.js"
import { followSource } from "./follow-source.js"

function createCell(value: number) {
  const listeners = new Set<() => void>()
  const cell = { fault: undefined as Error | undefined, value }
  return {
    listeners,
    source: {
      current() {
        if (cell.fault) throw cell.fault
        return cell.value
      },
      listen(listener: () => void) {
        listeners.add(listener)
        return () => void listeners.delete(listener)
      },
    },
    set(next: number, fault?: Error) {
      Object.assign(cell, { value: next, fault })
      for (const listener of listeners) listener()
    },
  }
}

describe("a cell", () => {
  it("gives its first value and each later one until it is released", () => {
    const { source, set, listeners } = createCell(1)
    const heard: number[] = []
    const fails: unknown[] = []
    const trouble = (found: unknown): unknown => fails.push(found)
    const { release } = followSource(source, { next: (value) => heard.push(value), fail: trouble, trouble })

    set(2)
    set(3, new Error("broken"))
    set(4)
    release()
    set(5)

    expect(heard).toEqual([1, 2, 4])
    expect(fails).toHaveLength(1)
    expect(listeners.size).toBe(0)
  })

  it("reports a listen that returns nothing to end it by", () => {
    const heard: unknown[] = []
    const odd = { current: () => 1, listen: () => 7 }
    const take = (found: unknown): unknown => heard.push(found)

    // The type forbids it; an untyped application does not.
    followSource(odd as never, { next: () => {}, fail: take, trouble: take })

    expect(String(JSON.stringify(heard.map(String)))).toContain("ends the subscription")
  })

  it("is the value of a state", async () => {
    const { source, set } = createCell(1)
    const service = createAgenticService({ name: "x", states: { count: state({ schema: {}, value: source }) } })
    const values: unknown[] = []
    const subscription = service.states.subscribe(({ count }) => values.push(count?.value))

    set(2)
    subscription.unsubscribe()

    expect(values).toEqual([1, 2])
  })
})
