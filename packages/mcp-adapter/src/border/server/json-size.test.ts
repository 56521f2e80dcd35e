import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { findSizeFault, measureJson, measureValue } from "./json-size.js"

const ENDLESS = { depth: Number.POSITIVE_INFINITY, values: Number.POSITIVE_INFINITY }

function measureText(text: string, limits = ENDLESS) {
  return measureJson(new TextEncoder().encode(text), limits)
}

/** Returns a value's depth by simple recursion, as the oracle. */
function depthOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0
  return 1 + Math.max(0, ...Object.values(value).map(depthOf))
}

function countOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 1
  return Object.values(value).reduce<number>((sum, each) => sum + countOf(each), 1)
}

describe("measureJson", () => {
  it("measures the depth of any JSON in any formatting", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.constantFrom(undefined, 2), (value, space) => {
        expect(measureText(JSON.stringify(value, null, space)).depth).toBe(depthOf(value))
      }),
      { numRuns: 500 },
    )
  })

  it("counts at least half of the values, and never more than exist", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
        const { values } = measureText(JSON.stringify(value))

        expect(values).toBeGreaterThanOrEqual(countOf(value) / 2)
        expect(values).toBeLessThanOrEqual(countOf(value) * 2)
      }),
      { numRuns: 500 },
    )
  })

  it("stops one beyond a limit", () => {
    const looked: number[] = []
    const bytes = new Proxy(new TextEncoder().encode(`[${"{},".repeat(100_000)}{}]`), {
      get(target, key) {
        if (typeof key === "string" && /^\d+$/.test(key)) looked.push(Number(key))
        const value: unknown = Reflect.get(target, key, target)
        return typeof value === "function" ? value.bind(target) : value
      },
    })

    expect(measureJson(bytes, { depth: 100, values: 50 }).values).toBe(51)
    expect(looked.length).toBeLessThan(200)
  })

  it("ignores brackets in strings, closed or not", () => {
    expect(measureText(JSON.stringify(['[[{"', "\\", '\\"[']))).toEqual({ depth: 1, values: 4 })
    expect(measureText('["[[[[').depth).toBe(1)
  })
})

describe("measureValue", () => {
  it("measures depth and number of values", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
        expect(measureValue(value, ENDLESS)).toEqual({ depth: depthOf(value), values: countOf(value) })
      }),
      { numRuns: 500 },
    )
  })

  it("allows exactly the limit, for arrays and objects", () => {
    const nest = (value: unknown, asArray: boolean) => (asArray ? [value] : { b: value })
    fc.assert(
      fc.property(fc.array(fc.boolean(), { maxLength: 30 }), fc.nat(30), (kinds, depth) => {
        const limits = { ...ENDLESS, depth }
        const size = measureValue(kinds.reduce(nest, 0 as unknown), limits)

        expect(findSizeFault(size, limits) !== undefined).toBe(kinds.length > depth)
      }),
      { numRuns: 500 },
    )
  })

  it("does not iterate over an array beyond the limit, and needs no recursion for depth", () => {
    const items = new Proxy(Array.from({ length: 1_000 }), {
      get(target, key) {
        if (key !== "length") throw new Error(`looked at ${String(key)}`)
        return Reflect.get(target, key)
      },
    })

    expect(measureValue(items, { depth: 100, values: 100 }).values).toBeGreaterThan(100)
    expect(measureValue(JSON.parse("[".repeat(100_000) + "]".repeat(100_000)), { depth: 100, values: 1e6 }).depth).toBe(
      101,
    )
  })
})
