import { describe, expect, it } from "vitest"
import { toKinds } from "./flag.js"

describe("toKinds", () => {
  it.each([
    [{ type: "string" }, ["string"]],
    [{ type: ["integer", "null"] }, ["integer", "null"]],
    [{ enum: ["a", 1] }, ["string", "number", "integer"]],
    [{ const: true }, ["boolean"]],
    [{ anyOf: [{ type: "string", minLength: 1 }, { type: "null" }] }, ["string", "null"]],
    [{ oneOf: [{ const: 1 }, { anyOf: [{ type: "boolean" }] }] }, ["number", "integer", "boolean"]],
  ])("reads from %j what a value can be", (schema, kinds) => {
    expect(toKinds(schema)).toEqual(kinds)
  })

  it("accepts anything if the schema or an alternative has no restriction", () => {
    const everything = ["string", "number", "integer", "boolean", "null", "object", "array"]

    expect([toKinds({}), toKinds({ anyOf: [{ type: "null" }, {}] })]).toEqual([everything, everything])
  })
})
