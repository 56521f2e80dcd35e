import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { nameArguments, toParameters } from "./foreign-actions.js"

describe("toParameters", () => {
  it("has no schema for no parameters", () => {
    expect(toParameters([]).schema).toBeUndefined()
    expect(toParameters([]).toPositions({})).toEqual([])
  })

  it("uses a single plain object directly", () => {
    const schema = { type: "object", properties: {} }
    const parameters = toParameters([schema])

    expect(parameters.schema).toBe(schema)
    expect(parameters.toPositions({ a: 1 })).toEqual([{ a: 1 }])
  })

  it.each([{ type: "object", oneOf: [{}] }, { type: "string" }, {}, true])("wraps %o under a name", (schema) => {
    expect(toParameters([schema]).schema).toEqual({
      type: "object",
      properties: { value: schema },
      required: ["value"],
      additionalProperties: false,
    })
  })

  it("fills in a new copy of a default, and requires the rest", () => {
    const { schema, toPositions } = toParameters([{ type: "string" }, { type: "array", default: [] }])
    const [, first] = toPositions({ arg1: "x" })
    const [, second] = toPositions({ arg1: "x" })

    expect(schema).toMatchObject({ required: ["arg1"] })
    expect(first).toEqual([])
    expect(first).not.toBe(second)
  })

  it.each([new Set(), Number.NaN, undefined, null, () => {}])(
    "fills in no %o, which does not fit its schema",
    (value) => {
      expect(toParameters([{ type: "string", default: value }]).schema).toMatchObject({ required: ["value"] })
    },
  )

  it("rejects input whose filled-in default does not fit", async () => {
    const { check } = toParameters([{ type: "number", minimum: 5, default: 1 }])

    expect(await check({ value: 7 })).toEqual({ ok: true, input: { value: 7 } })
    expect(await check({})).toMatchObject({ ok: false, issues: [{ path: ["value"] }] })
  })

  it("keeps references to definitions valid", () => {
    const point = { $ref: "#/$defs/Point", $defs: { Point: { type: "array" } } }

    expect(toParameters([point]).schema).toMatchObject({ $defs: { Point: { type: "array" } } })
  })
})

describe("nameArguments", () => {
  it("names arguments by title, else by position", () => {
    expect(nameArguments([{ title: "Force used" }, {}, { title: "日本語" }])).toEqual(["Force_used", "arg2", "arg3"])
    expect(nameArguments([{ type: "number" }])).toEqual(["value"])
  })

  it("gives every parameter a legal, unique name", () => {
    const title = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.constantFrom("a", "a_2", "arg1", "__proto__", "x".repeat(90)),
    )
    fc.assert(
      fc.property(fc.array(fc.record({ title }, { requiredKeys: [] }), { maxLength: 12 }), (schemas) => {
        const names = nameArguments(schemas)

        expect(new Set(names).size).toBe(schemas.length)
        for (const name of names) expect(name).toMatch(/^[A-Za-z0-9_]{1,64}$/)
      }),
      { numRuns: 500 },
    )
  })
})
