import { describe, expect, it } from "vitest"
import { violations } from "../../test/support/violations.js"
import { publish } from "../publish.js"

describe("shapeObject", () => {
  it("counts the levels of a map as it is published: a list, and an entry", () => {
    const deep = Array.from({ length: 8 }).reduce<object>(
      (values) => ({ type: "object", additionalProperties: values }),
      { type: "string" },
    )
    // However deep it begins, its levels come out even or odd.
    for (const a of [deep, { type: "array", items: deep }]) {
      const { schema } = publish({ type: "object", properties: { a } }, { profile: "openai-strict" })

      expect(violations("openai-strict", schema)).toEqual([])
    }
  })
})
