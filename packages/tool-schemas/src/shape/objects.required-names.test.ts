import { describe, expect, it } from "vitest"
import { checkSchema } from "../../test/support/check-schema.js"
import { publish } from "../publish.js"

describe("requiredNames", () => {
  it("requires a property by its published name", () => {
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

  it("gives it the schema of further properties", () => {
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

  it.each([{}, { "^b": { minimum: 0 } }, { "^c": { minimum: 0 } }])(
    "keeps what further properties may hold beside the patterns %j",
    (patternProperties) => {
      const map = {
        ...{ type: "object", patternProperties, required: ["b"] },
        additionalProperties: { type: "integer" },
      }
      const isNamed = Object.hasOwn(patternProperties, "^b")
      const samples = [
        { data: { value: { b: 1 } }, valid: true },
        { data: { value: { b: "x" } }, valid: isNamed },
        { data: { value: {} }, valid: false },
      ]

      for (const profile of ["portable", "anthropic", "openai"] as const)
        expect(checkSchema({ type: "object", properties: { value: map } }, profile, samples).disagreements).toEqual([])
    },
  )

  it("keeps requirements in closed objects and conditions", () => {
    const closed = { type: "object", properties: {}, additionalProperties: false, required: ["b"] }
    const either = { type: "object", properties: { a: {}, b: {} }, anyOf: [{ required: ["a"] }, { required: ["b"] }] }

    const { properties } = publish({ properties: { closed, either } }, { profile: "anthropic" }).schema

    expect(properties).toEqual({ closed, either })
  })

  it("describes required names that clients reject and no property has", () => {
    const { schema, changes } = publish({ type: "object", required: ["a b", "c"] }, { profile: "portable" })

    expect(schema).toMatchObject({ required: ["c"], description: '(needs ["a b"])' })
    expect(changes).toEqual([{ path: "", keyword: "required", how: "described" }])
  })
})
