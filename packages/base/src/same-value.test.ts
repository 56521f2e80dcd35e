import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { sameValue } from "./same-value.js"
import { toJson } from "./to-json.js"

describe("sameValue", () => {
  it.each<[unknown, unknown]>([
    [1, 1],
    [Number.NaN, Number.NaN],
    [{ a: [1, { b: "c" }] }, { a: [1, { b: "c" }] }],
    [new Map([["a", { b: 1 }]]), new Map([["a", { b: 1 }]])],
    [new Set([1, 2]), new Set([2, 1])],
    [new Date(1), new Date(1)],
    [new Uint8Array([1, 2]), new Uint8Array([1, 2])],
  ])("holds %o and %o the same", (a, b) => {
    expect(sameValue(a, b)).toBe(true)
  })

  it.each<[unknown, unknown]>([
    [0, -0],
    [undefined, null],
    [{ a: 1 }, { a: 2 }],
    [{ a: undefined }, { b: undefined }],
    [[1], { 0: 1 }],
    [new Map([["a", 1]]), new Map([["a", 2]])],
    [new Map([["a", 1]]), {}],
    [new Date(1), new Date(2)],
    [new Uint8Array([1, 2]), new Uint8Array([1, 3])],
    [new Uint8Array([1]).buffer, new Uint8Array([2]).buffer],
    [{ view: new DataView(new ArrayBuffer(1)) }, { view: new DataView(new ArrayBuffer(1)) }],
    [new Blob(["a"]), new Blob(["b"])],
    [{ toJSON: () => 1 }, { toJSON: () => 2 }],
    [{ valueOf: 1 }, { valueOf: 1 }],
    [new Map([["a", new Map([["b", 1]])]]), new Map([["a", new Map([["b", 2]])]])],
  ])("holds %o and %o different", (a, b) => {
    expect(sameValue(a, b)).toBe(false)
  })

  it("does not trust a class's own methods", () => {
    class Card {
      readonly title: string
      readonly done: boolean
      constructor(title: string, done: boolean) {
        this.title = title
        this.done = done
      }
      toString(): string {
        return this.title
      }
    }

    expect(sameValue(new Card("a", false), new Card("a", true))).toBe(false)
  })

  it("does not trust that `toJSON` shows all content", () => {
    class Money {
      readonly #cents: number
      constructor(cents: number) {
        this.#cents = cents
      }
      toJSON(): number {
        return this.#cents
      }
    }

    expect(sameValue({ price: new Money(1) }, { price: new Money(2) })).toBe(false)
  })

  it("terminates for cycles, depth, doubling and throwing getters, which count as different", () => {
    const cyclic = () => {
      const value: Record<string, unknown> = { a: 1 }
      value["self"] = new Map([["value", value]])
      return value
    }
    const deep = () => Array.from({ length: 50_000 }).reduce<unknown>((inner) => [inner], 0)
    const doubling = () => Array.from({ length: 60 }).reduce<unknown>((inner) => [inner, inner], 0)
    const throwing = () => Object.defineProperty({}, "a", { get: () => JSON.parse("{"), enumerable: true })

    for (const make of [cyclic, deep, doubling, throwing]) expect(sameValue(make(), make())).toBe(false)
  })

  it("skips shared parts of any size or kind", () => {
    const shared: Record<string, unknown> = { bytes: new ArrayBuffer(8) }
    shared["self"] = shared

    expect(sameValue({ shared, a: 1 }, { shared, a: 1 })).toBe(true)
    expect(sameValue({ shared, a: 1 }, { shared, a: 2 })).toBe(false)
  })

  it("equates plain data exactly when its JSON is equal", () => {
    const data = fc.anything({ key: fc.constantFrom("a", "b"), values: [fc.integer({ min: 0, max: 1 }), fc.string()] })

    fc.assert(
      fc.property(data, data, (a, b) => {
        expect(sameValue(a, structuredClone(a))).toBe(true)
        expect(sameValue(a, b)).toBe(canonical(a) === canonical(b))
      }),
      { numRuns: 1000 },
    )
  })

  it("never equates values that a reader could distinguish", () => {
    const odd = { withMap: true, withSet: true, withDate: true, withTypedArray: true, withBoxedValues: true }
    const value = fc.anything({ key: fc.constantFrom("a", "toString"), values: [fc.boolean()], maxKeys: 1, ...odd })

    fc.assert(
      fc.property(value, value, (a, b) => {
        if (sameValue(a, b)) expect(canonical(toJson(a))).toBe(canonical(toJson(b)))
      }),
      { numRuns: 2000 },
    )
  })
})

function canonical(value: unknown): string {
  return JSON.stringify(value, (_, part) =>
    typeof part === "object" && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  )
}
