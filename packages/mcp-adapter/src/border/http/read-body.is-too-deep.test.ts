import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { isTooDeep } from "./read-body.js"

describe("isTooDeep", () => {
  it("draws the line at the limit, for arrays and objects alike", () => {
    const nest = (value: unknown, asArray: boolean) => (asArray ? [value] : { a: 1, b: value })
    fc.assert(
      fc.property(fc.array(fc.boolean(), { maxLength: 30 }), fc.nat(30), (kinds, limit) => {
        expect(isTooDeep(kinds.reduce(nest, 0 as unknown), limit)).toBe(kinds.length > limit)
      }),
      { numRuns: 500 },
    )
  })

  it("says so of what is too deep to walk by recursion", () => {
    expect(isTooDeep(JSON.parse("[".repeat(100_000) + "]".repeat(100_000)), 100)).toBe(true)
  })
})
