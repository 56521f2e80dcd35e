import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { createRoster, createSlots } from "./slots.js"

describe("createSlots", () => {
  it("holds filled slots that were not vacated, after any history", () => {
    const step = fc.tuple(fc.nat(400), fc.boolean())
    fc.assert(
      fc.property(fc.array(step, { maxLength: 1_000, size: "max" }), (steps) => {
        const slots = createSlots<number[]>()
        const model = new Map<string, number[]>()
        for (const [number, fill] of steps) {
          const key = `k${number}`
          if (fill) {
            const claims = model.get(key) ?? [number]
            slots.fill(key, claims)
            model.set(key, claims)
          } else if (model.delete(key)) slots.vacate(key)
        }

        expect(slots.size()).toBe(model.size)
        expect(new Map(slots.all())).toEqual(model)
        for (let number = 0; number <= 400; number += 1) expect(slots.get(`k${number}`)).toBe(model.get(`k${number}`))
      }),
      { numRuns: 500 },
    )
  })
})

describe("createRoster", () => {
  it("holds added items that were not removed, in any order and with repeated removals", () => {
    const step = fc.tuple(fc.nat(20), fc.boolean())
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const roster = createRoster<number>()
        const left = new Map<number, () => void>()
        const gone: (() => void)[] = []
        for (const [number, comes] of steps) {
          const leave = left.get(number)
          if (comes && leave === undefined) left.set(number, roster.add(number))
          else if (!comes && leave !== undefined) {
            leave()
            gone.push(leave)
            left.delete(number)
          }
          gone.at(number)?.()
        }

        expect([...roster.all()].sort((one, other) => one - other)).toEqual(
          [...left.keys()].sort((one, other) => one - other),
        )
      }),
      { numRuns: 500 },
    )
  })
})
