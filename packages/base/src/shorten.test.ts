import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { JsonValue } from "./json-value.js"
import { findByPointer, stepInto } from "./pointer.js"
import { shorten } from "./shorten.js"

const root = { pointer: "", offset: 0 }

describe("shorten", () => {
  it("keeps a fitting value unchanged", () => {
    expect(shorten({ a: [1, 2] }, 100, root)).toEqual({ a: [1, 2] })
  })

  it("cuts a list, and gives the place to read on", () => {
    const list = Array.from({ length: 1_000 }, (_, index) => index)

    const short = shorten({ list }, 400, root) as { list: JsonValue[] } // An object with a list keeps its shape.

    const marker = short.list.at(-1)
    const kept = short.list.length - 1
    expect(kept).toBeGreaterThan(10)
    expect(marker).toEqual({ "…": { left_out: 1_000 - kept, pointer: "/list", offset: kept } })
  })

  it("cuts a text, and gives the place to read on", () => {
    const text = "\u{1f600}".repeat(500)

    expect(shorten({ text }, 300, root)).toEqual({
      text: expect.stringMatching(/^\u{1f600}+… \(\d+ more characters: pointer "\/text", offset \d+\)$/u),
    })
  })

  it("keeps small properties whole beside large ones", () => {
    const list = Array.from({ length: 1_000 }, () => "x")

    expect(shorten({ list, title: "small", other: list }, 600, root)).toMatchObject({ title: "small" })
  })

  it("never exceeds its room, for any value", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), fc.integer({ min: 400, max: 2_000 }), (value, room) => {
        const many = { one: Array.from({ length: 40 }, () => value), two: "y".repeat(1_000) } as JsonValue // It is JSON.

        expect(JSON.stringify(shorten(many, room, root)).length).toBeLessThanOrEqual(room)
      }),
      { numRuns: 200 },
    )
  })
})

describe("findByPointer", () => {
  it("finds the value of a pointer", () => {
    const json = { "a/b": [{ "~": 1 }] }

    expect(findByPointer(json, stepInto(stepInto(stepInto("", "a/b"), 0), "~"))).toBe(1)
    expect(findByPointer(json, "")).toBe(json)
  })

  it.each(["a", "/b", "/a~1b/1", "/a~1b/length", "/a~1b/00", "/constructor"])("finds nothing at %j", (pointer) => {
    expect(findByPointer({ "a/b": [1] }, pointer)).toBeUndefined()
  })
})
