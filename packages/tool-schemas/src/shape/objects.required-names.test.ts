import { describe, expect, it } from "vitest"
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

  it("says in words what is required under a name that clients refuse, and that no property has", () => {
    const { schema, changes } = publish({ type: "object", required: ["a b", "c"] }, { profile: "portable" })

    expect(schema).toMatchObject({ required: ["c"], description: '(needs ["a b"])' })
    expect(changes).toEqual([{ path: "", keyword: "required", how: "described" }])
  })
})
