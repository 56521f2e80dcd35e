import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { createSeal } from "./seal.js"

const secret = new Uint8Array(32).fill(7)
const isText = (value: unknown): value is string => typeof value === "string"

describe("createSeal", () => {
  it("opens every note it sealed", () => {
    const seal = createSeal(secret, isText)
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (note) => {
        expect(seal.open(seal.close(note))).toBe(note)
      }),
      { numRuns: 500 },
    )
  })

  it("refuses a note that was changed anywhere", () => {
    const seal = createSeal(secret, isText)
    const sealed = seal.close("pay 10 to ann")
    fc.assert(
      fc.property(fc.nat(sealed.length - 1), fc.string({ minLength: 1, maxLength: 1 }), (at, character) => {
        fc.pre(sealed[at] !== character)

        expect(seal.open(sealed.slice(0, at) + character + sealed.slice(at + 1))).toBeUndefined()
      }),
      { numRuns: 500 },
    )
  })

  it.each(["", ".", "no dot", `${"0".repeat(64)}."x"`])("refuses %j", (text) => {
    expect(createSeal(secret, isText).open(text)).toBeUndefined()
  })

  it("refuses a note sealed with another secret", () => {
    const other = createSeal(new Uint8Array(32).fill(8), isText)

    expect(createSeal(secret, isText).open(other.close("x"))).toBeUndefined()
  })

  it("refuses a note of another shape", () => {
    const numbers = createSeal(secret, (value: unknown): value is number => typeof value === "number")

    expect(createSeal(secret, isText).open(numbers.close(1))).toBeUndefined()
  })

  it("requires a secret of at least 32 bytes", () => {
    expect(() => createSeal(new Uint8Array(31), isText)).toThrow("expected at least 32")
  })
})
