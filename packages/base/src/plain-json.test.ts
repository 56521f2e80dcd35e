import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { isPlainJson } from "./plain-json.js"
import { toJson } from "./to-json.js"

describe("isPlainJson", () => {
  it.each([null, "🙂", -0, { a: [1, undefined, { b: undefined }] }, new Array(1), JSON.parse('{"__proto__":{}}')])(
    "accepts %j",
    (value) => {
      expect(isPlainJson(value)).toBe(true)
    },
  )

  it.each<[string, unknown]>([
    ["undefined", undefined],
    ["half a character", { a: ["\ud83d"] }],
    ["a name with half a character", { "\ud83d": 1 }],
    ["a date", [new Date(0)]],
    ["bytes", { a: new Uint8Array(2) }],
    ["a map", { a: new Map() }],
    ["a class", new (class Point {})()],
    ["an array with toJSON", Object.assign([1], { toJSON: () => 2 })],
    ["an array of a class of its own", new (class List extends Array {})()],
    ["a function", { run: () => 1 }],
    ["a bigint", [1n]],
    ["a number that JSON lacks", [Number.NaN]],
  ])("refuses %s", (_, value) => {
    expect(isPlainJson(value)).toBe(false)
  })

  it("refuses cycles, depth and throwing getters", () => {
    const circular: unknown[] = []
    circular.push(circular)
    let deep: unknown = 0
    for (let level = 0; level < 101; level += 1) deep = [deep]
    const throwing = {
      get value() {
        throw new Error("no")
      },
    }

    expect([circular, deep, throwing].map(isPlainJson)).toEqual([false, false, false])
  })

  it("accepts only values that the engine writes as toJson does", () => {
    const anything = fc.anything({
      withBigInt: true,
      withBoxedValues: true,
      withDate: true,
      withMap: true,
      withNullPrototype: true,
      withObjectString: true,
      withSet: true,
      withSparseArray: true,
      withTypedArray: true,
      stringUnit: "binary",
    })

    fc.assert(
      fc.property(fc.oneof(anything, fc.object(), fc.jsonValue()), (value) => {
        const written = JSON.stringify(toJson(value))

        expect(isPlainJson(value) ? JSON.stringify(value) : written).toBe(written)
      }),
      { numRuns: 2000 },
    )
  })

  it("accepts every value that came from JSON", () => {
    const parsed = fc.json().map((text) => JSON.parse(text))

    fc.assert(
      fc.property(parsed, (value) => {
        expect(isPlainJson(value)).toBe(true)
      }),
    )
  })
})
