import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { createListMap } from "./list-map.js"

describe("createListMap", () => {
  it("returns the same as mapping each whole list, with items in any order and repeated", () => {
    const items = Array.from({ length: 6 }, (_, index) => ({ index }))
    const lists = fc.array(fc.array(fc.constantFrom(...items), { maxLength: 12 }), { maxLength: 8 })
    fc.assert(
      fc.property(lists, (given) => {
        const toText = createListMap(({ index }: { readonly index: number }) => `item ${index}`)

        for (const list of given) expect(toText(list)).toEqual(list.map(({ index }) => `item ${index}`))
      }),
      { numRuns: 1_000 },
    )
  })

  it("does not map items before or after the change again", () => {
    const items = Array.from({ length: 1_000 }, (_, index) => ({ index }))
    const mapped: number[] = []
    const toText = createListMap(({ index }: { readonly index: number }) => mapped.push(index))
    toText(items)
    mapped.length = 0

    toText([...items.slice(0, 500), { index: -1 }, ...items.slice(500)])

    expect(mapped).toEqual([-1])
  })
})
