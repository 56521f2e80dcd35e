import { describe, expect, it } from "vitest"
import { toToolSchema } from "../to-tool-schema.js"
import { violations } from "../violations.fixture.js"

describe("shapeObject", () => {
  it("counts the levels of a map as it is published: a list, and an entry", () => {
    const map: Record<string, unknown> = { type: "object" }
    map["additionalProperties"] = map
    // However deep it begins, its levels come out even or odd.
    const schemas = [{ a: map }, { a: { type: "array", items: map } }].map((properties) => ({
      type: "object",
      properties,
    }))

    for (const schema of schemas) {
      expect(violations("openai-strict", toToolSchema(schema, "openai-strict").schema)).toEqual([])
    }
  })
})
