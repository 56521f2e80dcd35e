import { describe, expect, it } from "vitest"
import { publishOutput } from "./publish.js"

describe("publishOutput", () => {
  it("keeps a plain object and returns results as pure JSON", () => {
    const { schema, toStructured } = publishOutput({ type: "object", properties: { at: { type: "string" } } })

    expect(schema).toEqual({ type: "object", properties: { at: { type: "string" } } })
    expect(toStructured({ at: new Date(0), none: undefined })).toEqual({ at: "1970-01-01T00:00:00.000Z" })
  })

  it("wraps any other root in result, with any title [tool-output-object]", () => {
    const { schema, toStructured } = publishOutput({ type: "array", title: "Cards", items: { type: "number" } })

    expect(schema).toEqual({
      type: "object",
      properties: { result: { type: "array", title: "Cards", items: { type: "number" } } },
      required: ["result"],
      additionalProperties: false,
    })
    expect(toStructured([1, 2])).toEqual({ result: [1, 2] })
    expect(toStructured(undefined)).toEqual({ result: null })
  })

  it("returns an object even for a value that does not fit the schema", () => {
    const { toStructured } = publishOutput({ type: "object" })

    expect([toStructured(5), toStructured([1]), toStructured(null)]).toEqual([
      { result: 5 },
      { result: [1] },
      { result: null },
    ])
  })

  it("keeps a union at the root of an MCP server's schema", () => {
    const author = { type: "object", anyOf: [{ required: ["a"] }, { required: ["b"] }] }

    expect(publishOutput(author, { asIs: true })).toMatchObject({ schema: author, wrapped: undefined })
    expect(publishOutput(author).wrapped).toBe("result")
    expect(publishOutput({ anyOf: [author] }, { asIs: true }).wrapped).toBe("result")
  })

  it("gives the same result for the same schema", () => {
    const author = { type: "object" }

    expect(publishOutput(author)).toBe(publishOutput(author))
    expect(publishOutput(true).schema["properties"]).toEqual({ result: {} })
  })
})
