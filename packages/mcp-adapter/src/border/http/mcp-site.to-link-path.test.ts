import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { formatPath } from "../../names/path.js"
import { toBase, toLinkPath } from "./mcp-site.js"

describe("toLinkPath", () => {
  it("parses any path back, with the base or without it", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "binary" }), { minLength: 1 }), (path) => {
        for (const prefix of ["/mcp", ""]) {
          const { pathname } = new URL(`http://host${prefix}/links/${formatPath(path)}`)

          expect(toLinkPath(pathname, "/mcp")).toEqual(path)
        }
      }),
      { numRuns: 500 },
    )
  })

  it.each(["/mcp", "/mcp/", "/", ""])("reads %j as the root", (pathname) => {
    expect(toLinkPath(pathname, "/mcp")).toEqual([])
  })

  it.each(["/mcp/links", "/mcp/links/", "/mcp/links/a//b", "/other", "/mcpx/links/a", "/mcp/x"])(
    "finds nothing at %j",
    (pathname) => {
      expect(toLinkPath(pathname, "/mcp")).toBeUndefined()
    },
  )

  it("distinguishes a base that looks like a link", () => {
    expect(toLinkPath("/links/links/a", "/links")).toEqual(["a"])
  })

  it("works at the root of a host", () => {
    expect(toLinkPath("/links/a/b", toBase("/"))).toEqual(["a", "b"])
    expect(toLinkPath("/", toBase("/"))).toEqual([])
  })
})
