import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { anyKey, anyPath } from "./path.fixture.js"
import { parsePath } from "./path.js"
import { parseResourceUri, resourceUriTemplate, toPlacedUri, toResourceUri } from "./resource-uri.js"

describe("toResourceUri", () => {
  it("joins server, path and key", () => {
    expect(toResourceUri("board", ["columns", "c 1"], "cards")).toBe("agentic://board/columns/c%201/cards")
  })

  it.each([
    ["My Board!", "my-board"],
    ["Café", "cafe"],
    ["日本語", "service"],
    ["", "service"],
  ])("names the server %j as %s", (server, authority) => {
    expect(toResourceUri(server, [], "x")).toBe(`agentic://${authority}/x`)
  })

  it("is valid by RFC 3986 and survives URL normalisation [uri-valid]", () => {
    fc.assert(
      fc.property(anyKey(), anyPath(), anyKey(), (server, path, key) => {
        const uri = toResourceUri(server, path, key)

        expect(uri).toMatch(/^agentic:\/\/[a-z0-9-]+(\/([A-Za-z0-9\-._~]|%[0-9A-F]{2})+)+$/)
        expect(new URL(uri).href).toBe(uri)
      }),
      { numRuns: 1000 },
    )
  })
})

describe("a segment of a URI", () => {
  it("carries the marks that URL parsers treat differently from scheme to scheme", () => {
    expect(toResourceUri("board", [], "!'()*")).toBe("agentic://board/%21%27%28%29%2A")
  })
})

describe("a resource URI", () => {
  it("yields the path and key of every state", () => {
    fc.assert(
      fc.property(anyPath(), anyKey(), (path, key) => {
        const [, rest = ""] = toResourceUri("board", path, key).split("agentic://board/")

        expect(parsePath(rest)).toEqual([...path, key])
      }),
      { numRuns: 1000 },
    )
  })
})

describe("resourceUriTemplate", () => {
  it("covers the server's states [resource-template]", () => {
    expect(resourceUriTemplate("My Board")).toBe("agentic://my-board/{+path}")
  })
})

describe("parseResourceUri", () => {
  it("parses only URIs of toResourceUri for the same server", () => {
    fc.assert(
      fc.property(anyPath(), anyKey(), (path, key) => {
        expect(parseResourceUri("desk", toResourceUri("desk", path, key))).toEqual({ path, key })
        expect(parseResourceUri("other", toResourceUri("desk", path, key))).toBeUndefined()
      }),
    )
  })
})

describe("toPlacedUri", () => {
  it.each([
    [["docs"], "file:///notes", "agentic://desk/docs/file%3A%2F%2F%2Fnotes"],
    [[], "file:///notes", "file:///notes"],
    [["docs"], "https://example.com/a", "https://example.com/a"],
    [["docs"], "ui://widget", "ui://widget"],
  ])("gives at %j for %s %s", (path, uri, expected) => {
    expect(toPlacedUri("desk", path, uri)).toBe(expected)
  })
})
