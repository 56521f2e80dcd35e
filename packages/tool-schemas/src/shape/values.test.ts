import { describe, expect, it } from "vitest"
import { publish } from "../publish.js"

describe("rewriteValues", () => {
  it.each([
    [{ const: "a" }, { type: "string", enum: ["a"] }],
    [
      { const: "a", enum: ["a", "b"] },
      { type: "string", enum: ["a"] },
    ],
    [{ const: "c", enum: ["a", "b"] }, { not: {} }],
    [
      { enum: [1, "a"] },
      {
        anyOf: [
          { type: "number", enum: [1] },
          { type: "string", enum: ["a"] },
        ],
      },
    ],
  ])("says %j as portable takes it", (author, published) => {
    expect(publish({ properties: { a: author } }).schema["properties"]).toEqual({ a: published })
  })
})

describe("splitTypes", () => {
  it("requests a null-only value from gemini like any other null", () => {
    const only = { enum: [null], type: ["array", "boolean", "null"] }
    const published = (a: object) => publish({ properties: { a } }, { profile: "gemini" }).schema["properties"]

    expect(published(only)).toEqual({
      a: { type: "string", nullable: true, description: expect.stringContaining("JSON") },
    })
  })
})
