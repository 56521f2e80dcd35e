import { describe, expect, it } from "vitest"
import { checkSchema } from "../../test/support/check-schema.js"
import { publish } from "../publish.js"

describe("shapeArray", () => {
  it("allows further items after an open tuple", () => {
    const author = { prefixItems: [{ type: "string" }], items: true }

    expect(checkSchema(author, "portable", [{ data: ["a", 42], valid: true }]).disagreements).toEqual([])
  })

  it("describes a `contains` that a profile would make looser", () => {
    const list = { type: "array", items: { type: "null" }, contains: { enum: [0, false] } }
    const { schema, changes } = publish({ properties: { list }, required: ["list"] }, { profile: "openai-strict" })

    expect(schema["properties"]).toEqual({
      list: { type: "array", items: { type: "null" }, description: '(contains: {"enum":[0,false]})' },
    })
    expect(changes).toContainEqual({ path: "/properties/list", keyword: "contains", how: "described" })
  })

  it("describes the places of a tuple, and allows each item's schema at any of them", () => {
    const pair = { type: "array", prefixItems: [{ type: "string" }, { type: "number" }], items: false }
    const { schema, changes } = publish({ properties: { pair } }, { profile: "portable" })

    expect(schema["properties"]).toEqual({
      pair: {
        type: "array",
        items: { anyOf: [{ type: "string" }, { type: "number" }] },
        maxItems: 2,
        description: '(by place: [{"type":"string"},{"type":"number"}])',
      },
    })
    expect(changes).toEqual([{ path: "/properties/pair", keyword: "prefixItems", how: "described" }])
  })

  it.each(["portable", "anthropic", "openai"] as const)("has no list of anything say so by true, for %s", (profile) => {
    const list = { type: "array", items: true }
    const { properties } = publish(
      { properties: { list, map: { type: "object", properties: { list } } } },
      { profile },
    ).schema

    expect(JSON.stringify(properties)).not.toContain("true")
    expect(properties).toMatchObject({ list: { type: "array", items: {} } })
  })
})
