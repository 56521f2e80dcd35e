import { isDeepStrictEqual } from "node:util"
import type { JsonValue } from "@x/base"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { findDifferences } from "./differences.js"

describe("the differences of two values", () => {
  it.each<readonly [what: string, values: readonly [JsonValue, JsonValue], expected: readonly unknown[]]>([
    ["a plain value", [1, 2], [{ path: "", before: 1, now: 2 }]],
    ["another kind of value", [[1], { a: 1 }], [{ path: "", before: [1], now: { a: 1 } }]],
    ["a member", [{ a: { b: 1, c: 2 } }, { a: { b: 3, c: 2 } }], [{ path: "a.b", before: 1, now: 3 }]],
    ["an added member", [{ a: 1 }, { a: 1, b: null }], [{ path: "b", now: null }]],
    ["a removed member", [{ a: 1, b: null }, { a: 1 }], [{ path: "b", before: null }]],
    [
      "an inserted item",
      [
        ["a", "b"],
        ["a", "x", "b"],
      ],
      [{ path: "[1]", now: "x" }],
    ],
    [
      "a removed item",
      [
        [{ id: 1 }, { id: 2 }, { id: 3 }],
        [{ id: 1 }, { id: 3 }],
      ],
      [{ path: "[1]", before: { id: 2 } }],
    ],
    [
      "an item changed in place",
      [[{ id: 1, t: "a" }], [{ id: 1, t: "b" }]],
      [{ path: "[0].t", before: "a", now: "b" }],
    ],
    ["a line", ["# Board\n- one\n- two", "# Board\n- one\n- 2"], [{ path: "line 3", before: "- two", now: "- 2" }]],
    ["an added line", ["# Board\n- two", "# Board\n- one\n- two"], [{ path: "line 2", now: "- one" }]],
  ])("are told for %s", (_what, [before, now], expected) => {
    expect(findDifferences(before, now)).toEqual({ found: expected, more: false })
  })

  it("are none exactly where the values are equal", () => {
    const json = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<JsonValue> // without undefined, as JSON is
    fc.assert(
      fc.property(json, json, (before, now) => {
        const written = (value: JsonValue): unknown => JSON.parse(JSON.stringify(value))
        const [one, other] = [written(before), written(now)] as [JsonValue, JsonValue]
        expect(findDifferences(one, other).found.length === 0).toBe(isDeepStrictEqual(one, other))
      }),
      { examples: [[[], {}]] },
    )
  })

  it("are thirty at most", () => {
    const { found, more } = findDifferences(Array(100).fill(1), Array(100).fill(2))

    expect([found.length, more]).toEqual([30, true])
  })
})
