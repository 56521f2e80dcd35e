import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { backoff } from "./backoff.js"

describe("backoff", () => {
  it("doubles with each failure up to its limit, or up to half less", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2_000 }), (failures) => {
        const wait = Math.min(5_000, 100 * 2 ** Math.min(failures - 1, 30))
        const ms = backoff(failures, { firstMs: 100, mostMs: 5_000 })
        expect(ms).toBeGreaterThanOrEqual(Math.floor(wait * 0.5))
        expect(ms).toBeLessThanOrEqual(wait)
      }),
    )
  })
})
