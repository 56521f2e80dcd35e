import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { createSortedList } from "./claims.js"

interface Item {
  readonly key: string
  readonly value: number
}

describe("createSortedList", () => {
  it("equals the sorted map of its entries after any order of writes and reads", () => {
    const step = fc.record({
      key: fc.string({ maxLength: 2 }),
      value: fc.option(fc.nat()),
      read: fc.integer({ min: 0, max: 19 }),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const list = createSortedList<Item>((item) => item.key)
        const model = new Map<string, Item>()
        for (const { key, value, read } of steps) {
          const item = value === null ? undefined : { key, value }
          list.set(key, item)
          if (item) model.set(key, item)
          else model.delete(key)
          if (read === 0) list.read()
        }

        expect(list.read()).toEqual([...model.values()].sort((a, b) => (a.key < b.key ? -1 : 1)))
      }),
      { numRuns: 1_000 },
    )
  })

  it("gives the same array until something is set", () => {
    const list = createSortedList<Item>((item) => item.key)
    list.set("a", { key: "a", value: 1 })

    expect(list.read()).toBe(list.read())
  })
})
