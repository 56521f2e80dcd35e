import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { findByPointer, formatPointer, parsePointer, stepInto } from "./pointer.js"

describe("formatPointer", () => {
  // From RFC 6901, section 5.
  it.each([
    [[], ""],
    [["foo", 0], "/foo/0"],
    [[""], "/"],
    [["a/b"], "/a~1b"],
    [["m~n"], "/m~0n"],
    [["c%d"], "/c%d"],
    [["~1"], "/~01"],
  ])("writes %j as the RFC does", (path, pointer) => {
    expect(formatPointer(path)).toBe(pointer)
  })

  it("is parsed back to the path, for any keys", () => {
    fc.assert(
      fc.property(fc.array(fc.string()), (path) => {
        expect(parsePointer(formatPointer(path))).toEqual(path)
      }),
    )
  })

  it("equals a step-by-step pointer", () => {
    expect(stepInto(stepInto("", "a/b"), 1)).toBe(formatPointer(["a/b", 1]))
  })
})

describe("parsePointer", () => {
  it.each(["a", "#/a", "/a~", "/a~2b"])("takes %j for none", (text) => {
    expect(parsePointer(text)).toBeUndefined()
  })
})

describe("findByPointer", () => {
  const json = { "a/b": [{ "": 1 }], list: [1, 2] }

  it("follows keys and indices", () => {
    expect(findByPointer(json, "/a~1b/0/")).toBe(1)
    expect(findByPointer(json, "")).toBe(json)
  })

  it.each(["/none", "/list/2", "/list/-1", "/list/01", "/list/length", "/constructor", "list", "/list/0/x"])(
    "finds nothing at %s",
    (pointer) => {
      expect(findByPointer(json, pointer)).toBeUndefined()
    },
  )
})
