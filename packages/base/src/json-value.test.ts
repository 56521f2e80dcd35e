import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { compareText, isRecord, parseJson, toWellFormed } from "./json-value.js"

describe("isRecord", () => {
  it.each([{}, { a: 1 }, Object.create(null), new Date(0)])("accepts %o", (value) => {
    expect(isRecord(value)).toBe(true)
  })

  it.each([null, undefined, [], "a", 1, () => 1])("refuses %o", (value) => {
    expect(isRecord(value)).toBe(false)
  })
})

describe("parseJson", () => {
  it("parses any JSON text", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value)

        expect(JSON.stringify(parseJson(text))).toBe(text)
      }),
    )
  })

  it.each(["", "{", "undefined", "'a'"])("gives nothing for %j", (text) => {
    expect(parseJson(text)).toBeUndefined()
  })
})

describe("toWellFormed", () => {
  it("returns text that UTF-8 can carry, unchanged if possible", () => {
    const text = fc.string({ unit: fc.constantFrom("a", "\ud83d", "\ude00", "é", "\ud83d\ude00") })

    fc.assert(
      fc.property(text, (given) => {
        const carried = new TextDecoder().decode(new TextEncoder().encode(given))

        expect(toWellFormed(given)).toBe(carried)
      }),
    )
  })
})

describe("compareText", () => {
  it("orders like a sort without a comparison", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "binary" })), (texts) => {
        expect([...texts].sort(compareText)).toEqual([...texts].sort())
      }),
    )
  })

  it("is 0 only for equal texts", () => {
    expect([compareText("a", "a"), compareText("a", "b"), compareText("b", "a")]).toEqual([0, -1, 1])
  })
})
