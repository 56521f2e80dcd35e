import { SchemaError } from "@x/tool-schemas/normalise"
import * as v from "valibot"
import { describe, expect, it } from "vitest"
import { z } from "zod"
import type { AnySchema } from "../infer.js"
import { exportSchema } from "./export-schema.js"

describe("exportSchema", () => {
  it("gives JSON Schema as it is", () => {
    const schema = { type: "string" } as const

    expect(exportSchema(schema, "input")).toBe(schema)
  })

  it("tells what goes into a Standard Schema from what comes out", () => {
    const schema = z.object({ done: z.boolean().default(false) })

    expect(exportSchema(schema, "input")).not.toHaveProperty("required")
    expect(exportSchema(schema, "output")).toMatchObject({ required: ["done"] })
  })

  it("says dates, files and whole numbers without bound as texts", () => {
    const schema = z.object({
      when: z.date().min(new Date(0)).describe("When"),
      count: z.bigint().optional(),
      image: z.file().mime(["image/png"]).max(100),
    })

    expect(exportSchema(schema, "input")).toMatchObject({
      properties: {
        when: { type: "string", format: "date-time", description: "When (from 1970-01-01T00:00:00.000Z)" },
        count: { type: "string", pattern: "^-?[0-9]+$", description: "(a whole number)" },
        image: {
          type: "string",
          contentEncoding: "base64",
          contentMediaType: "image/png",
          description: "(base64, or a data: URL, at most 100 bytes)",
        },
      },
      required: ["when", "image"],
    })
  })

  it("says why it cannot, where JSON Schema has no words", () => {
    const schema = z.object({ all: z.map(z.string(), z.number()) })

    expect(() => exportSchema(schema, "input")).toThrow(SchemaError)
    expect(() => exportSchema(schema, "input")).toThrow("JSON Schema has no words for it: Map")
  })

  it("refuses an object of schemas by the name of its first", () => {
    // The types refuse it too: a raw shape, which the SDK takes.
    const shape = { nodeId: z.string(), depth: z.number() } as unknown as AnySchema

    expect(() => exportSchema(shape, "input")).toThrow(
      '"nodeId" is one of "zod", expected one schema: write z.object({ … })',
    )
  })

  it("takes an object without keywords for a JSON Schema", () => {
    expect(exportSchema({}, "input")).toEqual({})
  })

  it("refuses a schema that exports no JSON Schema", () => {
    // The types refuse it; untyped code does not ask them.
    const schema = v.string() as unknown as AnySchema

    expect(() => exportSchema(schema, "input")).toThrow('found a schema of "valibot" without JSON Schema')
  })

  it.each([null, "string", ["x"]])("refuses %s", (schema) => {
    // As above.
    expect(() => exportSchema(schema as unknown as AnySchema, "input")).toThrow("expected a JSON Schema")
  })
})
