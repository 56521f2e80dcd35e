import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { INVALID_PARAMS } from "./handler.js"
import { takePage } from "./page.js"

const keyOf = (key: string) => key

/** Reads all pages of a list that changes between them. */
function readAll(lists: readonly (readonly string[])[], size: number): string[] {
  const seen: string[] = []
  let cursor: string | undefined
  for (let page = 0; page < 1000; page += 1) {
    const { items, nextCursor } = takePage(lists[Math.min(page, lists.length - 1)] ?? [], { keyOf, cursor, size })
    seen.push(...items)
    if (nextCursor === undefined) return seen
    cursor = nextCursor
  }
  throw new Error("the pages never end")
}

describe("takePage", () => {
  it("returns no cursor with the last page [next-cursor]", () => {
    expect(takePage(["a", "b"], { keyOf, cursor: undefined, size: 2 })).toEqual({ items: ["a", "b"] })
  })

  it("continues after the last key even when that key is gone [cursor-stable]", () => {
    const { nextCursor } = takePage(["a", "b", "c"], { keyOf, cursor: undefined, size: 2 })

    expect(takePage(["a", "c"], { keyOf, cursor: nextCursor, size: 2 })).toEqual({ items: ["c"] })
  })

  it("treats an empty cursor as the beginning", () => {
    expect(takePage(["a"], { keyOf, cursor: "", size: 1 })).toEqual({ items: ["a"] })
  })

  it.each(["%", "bm90IG91cnM=", "ab", "YWZ0ZXI6JQ==", 7, null, {}])("refuses %j [cursor-invalid]", (cursor) => {
    expect(() => takePage(["a"], { keyOf, cursor, size: 1 })).toThrow(expect.objectContaining({ code: INVALID_PARAMS }))
  })

  it("returns every item once, in order, at any page size", () => {
    const keys = fc.uniqueArray(fc.string({ unit: "grapheme", maxLength: 5 })).map((list) => list.sort())
    fc.assert(
      fc.property(keys, fc.integer({ min: 1, max: 9 }), (list, size) => {
        expect(readAll([list], size)).toEqual(list)
      }),
      { numRuns: 500 },
    )
  })

  it("neither repeats nor skips remaining items while others come and go [cursor-stable]", () => {
    const keys = fc.uniqueArray(fc.constantFrom(..."abcdefghijklmnop")).map((list) => list.sort())
    fc.assert(
      fc.property(fc.array(keys, { minLength: 1, maxLength: 6 }), fc.integer({ min: 1, max: 4 }), (lists, size) => {
        const seen = readAll(lists, size)

        expect(new Set(seen).size).toBe(seen.length)
        expect(seen).toEqual(
          expect.arrayContaining((lists[0] ?? []).filter((key) => lists.every((l) => l.includes(key)))),
        )
      }),
      { numRuns: 500 },
    )
  })
})
