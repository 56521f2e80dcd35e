import { describe, expect, it } from "vitest"
import type { Keywords } from "../json-schema.js"
import type { ProfileName } from "../profile-name.js"
import { publish } from "../publish.js"

/** Publishes a property in a profile. */
function published(property: Keywords, profile: ProfileName = "portable"): unknown {
  const { schema, changes } = publish({ type: "object", properties: { a: property } }, { profile })
  return { ...Object(schema["properties"])["a"], how: changes.map(({ keyword, how }) => `${how} ${keyword}`) }
}

describe("mergeParts", () => {
  it.each<[string, Keywords, Keywords]>([
    ["a text and its part", { type: "string", allOf: [{ minLength: 2 }] }, { type: "string", minLength: 2 }],
    [
      "a reference and what stands beside it",
      {
        allOf: [
          { type: "string", maxLength: 9 },
          { maxLength: 5, title: "T" },
        ],
        title: "Own",
      },
      { type: "string", maxLength: 5, title: "Own" },
    ],
    ["types that overlap", { type: ["number", "null"], allOf: [{ type: "integer" }] }, { type: "integer" }],
    [
      "two objects",
      { allOf: [{ type: "object", required: ["x"] }, { properties: { x: { type: "string" } } }] },
      { type: "object", properties: { x: { type: "string" } }, required: ["x"] },
    ],
  ])("makes one of %s, which says as much", (_, given, merged) => {
    expect(published(given)).toEqual({ ...merged, how: ["rewritten allOf"] })
  })

  it("rewrites a part's pattern for grammars", () => {
    expect(published({ type: "string", allOf: [{ pattern: "^\\d*?$" }] })).toMatchObject({ pattern: "^[0-9]*$" })
  })

  it("does not merge objects when one is closed", () => {
    const allOf = [
      { type: "object", properties: { x: {} }, additionalProperties: false },
      { type: "object", properties: { y: {} } },
    ]

    expect(published({ allOf })).toEqual({ allOf, how: [] })
  })

  it("does not merge a part with unevaluated keywords", () => {
    const allOf = [{ type: "object", oneOf: [{ properties: { x: {} } }, { properties: { y: {} } }] }]
    const closed = { type: "object", properties: { z: {} }, allOf, unevaluatedProperties: false }

    expect(published(closed)).toEqual({ ...closed, how: [] })
  })

  it("describes contradicting parts of a text, because a grammar would turn them into an object", () => {
    expect(published({ type: "string", allOf: [{ pattern: "^a$" }, { pattern: "^b$" }] })).toEqual({
      type: "string",
      description: '(allOf: [{"pattern":"^a$"},{"pattern":"^b$"}])',
      how: ["described allOf"],
    })
  })

  it("reports a loss when a profile has no parts and one of them was closed", () => {
    const allOf = [
      { type: "object", properties: { x: { type: "string" } }, required: ["x"], additionalProperties: false },
      { type: "object", properties: { y: { type: "string" } }, required: ["y"] },
    ]

    expect(published({ allOf }, "gemini")).toMatchObject({ how: ["described allOf", "described additionalProperties"] })
  })
})
