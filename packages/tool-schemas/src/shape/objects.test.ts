import { describe, expect, it } from "vitest"
import { violations } from "../../test/support/violations.js"
import { publish } from "../publish.js"

describe("shapeObject", () => {
  it("counts the published levels of a map: a list, and an entry", () => {
    const deep = Array.from({ length: 8 }).reduce<object>(
      (values) => ({ type: "object", additionalProperties: values }),
      { type: "string" },
    )
    // Its levels may be even or odd, depending on the starting depth.
    for (const a of [deep, { type: "array", items: deep }]) {
      const { schema } = publish({ type: "object", properties: { a } }, { profile: "openai-strict" })

      expect(violations("openai-strict", schema)).toEqual([])
    }
  })
})
