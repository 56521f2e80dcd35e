import { describe, expect, it } from "vitest"
import { checkSchema } from "../../test/support/check-schema.js"
import { publish } from "../publish.js"

describe("requiredNames", () => {
  it("requires a property under the name that it is published with", () => {
    const author = { properties: { "a b": { type: "string" } }, required: ["a b"] }
    const { schema, toInput } = publish(author, { profile: "portable" })
    const [name = ""] = Object.keys(Object(schema["properties"]))

    expect(schema["required"]).toEqual([name])
    expect(name).toMatch(/^a_b_[0-9a-z]{9}$/)
    expect(toInput({ [name]: "x" })).toEqual({ "a b": "x" })
  })

  it.each(["portable", "anthropic", "openai"] as const)(
    "names what is required and is no property, for %s",
    (profile) => {
      const author = { type: "object", properties: { a: { type: "string" } }, required: ["a", "b"] }
      const { schema, toInput } = publish(author, { profile })

      expect(schema).toEqual({ ...author, properties: { a: { type: "string" }, b: {} } })
      expect(toInput({ a: "x", b: 1 })).toEqual({ a: "x", b: 1 })
    },
  )

  it("says of it what is said of every other property", () => {
    const map = { type: "object", additionalProperties: { type: "integer" }, required: ["b"] }
    const author = { type: "object", properties: { map } }

    expect(publish(author).schema["properties"]).toEqual({ map: { ...map, properties: { b: { type: "integer" } } } })
    const samples = [
      { data: { map: { b: 1 } }, valid: true },
      { data: { map: { b: "x" } }, valid: false },
      { data: { map: {} }, valid: false },
    ]
    expect(checkSchema(author, "portable", samples).disagreements).toEqual([])
  })

  it("leaves what is required where it closes, and where it is a condition", () => {
    const closed = { type: "object", properties: {}, additionalProperties: false, required: ["b"] }
    const either = { type: "object", properties: { a: {}, b: {} }, anyOf: [{ required: ["a"] }, { required: ["b"] }] }

    const { properties } = publish({ properties: { closed, either } }, { profile: "anthropic" }).schema

    expect(properties).toEqual({ closed, either })
  })

  it("says in words what is required under a name that clients refuse, and that no property has", () => {
    const { schema, changes } = publish({ type: "object", required: ["a b", "c"] }, { profile: "portable" })

    expect(schema).toMatchObject({ required: ["c"], description: '(needs ["a b"])' })
    expect(changes).toEqual([{ path: "", keyword: "required", how: "described" }])
  })
})
