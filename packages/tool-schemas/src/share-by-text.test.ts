import { describe, expect, it } from "vitest"
import { shareByText } from "./share-by-text.js"

const copyOf = shareByText((given: object) => ({ ...given }))

describe("shareByText", () => {
  it("gives objects with the same JSON one result", () => {
    expect(copyOf({ a: [1] })).toBe(copyOf({ a: [1] }))
  })

  it.each<[string, object, object]>([
    ["another value", { a: 1 }, { a: 2 }],
    ["another order", { a: 1, b: 2 }, { b: 2, a: 1 }],
    ["a member that JSON omits", { a: 1 }, { a: 1, b: undefined }],
    ["a value that JSON changes", { a: null }, { a: Number.NaN }],
    ["an instance of a class", { a: "1970-01-01T00:00:00.000Z" }, { a: new Date(0) }],
  ])("gives an object with %s a result of its own", (_, one, other) => {
    const [first, second] = [copyOf(one), copyOf(other)]

    expect(second).not.toBe(first)
    expect(second).toEqual(other)
  })

  it("computes each time what has no JSON", () => {
    const cyclic: Record<string, unknown> = {}
    cyclic["self"] = cyclic

    expect(copyOf(cyclic)).toEqual(cyclic)
  })

  it("reads no object whose text would double at every level", () => {
    let doubling: object = {}
    for (let level = 0; level < 60; level += 1) doubling = { one: doubling, two: doubling }

    expect(Object.keys(copyOf(doubling))).toEqual(["one", "two"])
  })

  it("throws the function's error for each object", () => {
    const fail = shareByText((given: object): object => {
      throw new Error(`no ${Object.keys(given)}`)
    })

    expect(() => fail({ a: 1 })).toThrow("no a")
    expect(() => fail({ a: 1 })).toThrow("no a")
  })
})
