import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { createPool, createShares } from "./shares.js"

/** Random steps of a few clients that take or return weight. */
const steps = fc.array(fc.tuple(fc.constantFrom("ann", "bob", "cid", "dan"), fc.integer({ min: -50, max: 100 })), {
  maxLength: 60,
})

describe("createShares", () => {
  it("counts like a plain table, and names a client with at least half the largest share", () => {
    fc.assert(
      fc.property(steps, (all) => {
        const shares = createShares()
        const table = new Map<string, number>()
        for (const [client, change] of all) {
          const weight = Math.max(change, -(table.get(client) ?? 0))
          shares.add(client, weight)
          table.set(client, (table.get(client) ?? 0) + weight)

          const held = [...table.values()]
          const most = Math.max(...held)
          expect(shares.total()).toBe(held.reduce((sum, each) => sum + each, 0))
          expect(shares.of(client)).toBe(table.get(client))
          const largest = shares.largest()
          if (most === 0) expect(largest).toBeUndefined()
          else expect((table.get(largest ?? "") ?? 0) * 2).toBeGreaterThan(most - 1)
        }
      }),
    )
  })
})

describe("createPool", () => {
  it("keeps to both limits, except for a single hold", () => {
    const limits = { client: 100, total: 250 }
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.constantFrom("ann", "bob", "cid", "dan"), fc.nat(120))), (all) => {
        const pool = createPool(limits)
        const lost = new Set<number>()
        for (const [index, [client, weight]] of all.entries()) {
          pool.hold(client, { lose: () => lost.add(index) }).grow(weight)

          const own = all.slice(0, index + 1).filter(([other], at) => other === client && !lost.has(at))
          expect(pool.of(client)).toBe(own.reduce((sum, [, each]) => sum + each, 0))
          expect(pool.of(client) <= limits.client || own.filter(([, each]) => each > 0).length === 1).toBe(true)
          expect(pool.total()).toBeLessThanOrEqual(limits.total)
        }
      }),
    )
  })

  it("takes from the client that holds the most, whoever asked last", () => {
    const lost: string[] = []
    const pool = createPool({ client: 100, total: 120 })
    pool.hold("ann", { lose: () => lost.push("ann's") }).grow(90)

    const small = pool.hold("bob", { lose: () => lost.push("bob's") })

    expect(small.grow(40)).toBe(true)
    expect(lost).toEqual(["ann's"])
  })

  it("asks for current weights before it drops anything", () => {
    const lost: string[] = []
    const pool = createPool({ client: 100, total: 1_000 })
    pool.hold("ann", { lose: () => lost.push("read by now"), weigh: () => 10 }).grow(90)

    pool.hold("ann", { lose: () => lost.push("new") }).grow(80)

    expect(lost).toEqual([])
    expect(pool.of("ann")).toBe(90)
  })

  it("uncounts a released hold once", () => {
    const pool = createPool({ client: 100, total: 100 })
    const hold = pool.hold("ann", { lose: () => {} })
    hold.grow(60)

    hold.release()
    hold.release()

    expect([pool.of("ann"), pool.total(), hold.grow(1)]).toEqual([0, 0, false])
  })
})
