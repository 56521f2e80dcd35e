import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { anyPath } from "./path.fixture.js"
import { comparePaths, formatPath, parsePath } from "./path.js"

describe("formatPath", () => {
  it("joins the segments with a slash", () => {
    expect(formatPath(["columns", "c1"])).toBe("columns/c1")
  })

  it("writes the root as the empty string, and an empty key as something else", () => {
    expect(formatPath([])).toBe("")
    expect(formatPath([""])).toBe("~")
  })

  it("encodes characters that would read as structure", () => {
    expect(formatPath(["a/b", "50%", "日本"])).toBe("a%2Fb/50%25/%E6%97%A5%E6%9C%AC")
  })
})

describe("parsePath", () => {
  it("parses every formatted path", () => {
    fc.assert(
      fc.property(anyPath(), (path) => {
        expect(parsePath(formatPath(path))).toEqual(path)
      }),
      { numRuns: 1000 },
    )
  })

  it.each(["/", "a//b", "a/", "%", "%E6", "~zz", "a~"])("refuses %j", (text) => {
    expect(parsePath(text)).toBeUndefined()
  })
})

describe("comparePaths", () => {
  it("orders shorter paths first, then by code units", () => {
    const paths = [["b", "a"], ["a", "é"], ["a", "z"], ["a", "B"], ["b"], []]

    expect(paths.sort(comparePaths)).toEqual([[], ["b"], ["a", "B"], ["a", "z"], ["a", "é"], ["b", "a"]])
  })

  it("is a total order in which only equal paths are equal", () => {
    fc.assert(
      fc.property(anyPath(), anyPath(), (a, b) => {
        expect(Math.sign(comparePaths(a, b)) + Math.sign(comparePaths(b, a))).toBe(0)
        expect(comparePaths(a, b) === 0).toBe(formatPath(a) === formatPath(b))
      }),
      { numRuns: 1000 },
    )
  })
})
