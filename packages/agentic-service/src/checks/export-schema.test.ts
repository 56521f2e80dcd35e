import { SchemaError } from "@x/tool-schemas/normalise"
import * as v from "valibot"
import { describe, expect, it } from "vitest"
import { z } from "zod"
import type { AnySchema } from "../infer.js"
import { exportSchema } from "./export-schema.js"

describe("exportSchema", () => {
  it("returns JSON Schema unchanged", () => {
    const schema = { type: "string" } as const

    expect(exportSchema(schema, "input")).toBe(schema)
  })

  it("distinguishes a Standard Schema's input and output", () => {
    const schema = z.object({ done: z.boolean().default(false) })

    expect(exportSchema(schema, "input")).not.toHaveProperty("required")
    expect(exportSchema(schema, "output")).toMatchObject({ required: ["done"] })
  })

  it("exports dates, files and bigints as texts", () => {
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

  it("gives the reason when JSON Schema cannot express a type", () => {
    const schema = z.object({ all: z.map(z.string(), z.number()) })

    expect(() => exportSchema(schema, "input")).toThrow(SchemaError)
    expect(() => exportSchema(schema, "input")).toThrow("JSON Schema cannot express it: Map")
  })

  it("rejects an object of schemas, and names the first", () => {
    // The types reject it too: a raw shape, which the SDK accepts.
    const shape = { nodeId: z.string(), depth: z.number() } as unknown as AnySchema

    expect(() => exportSchema(shape, "input")).toThrow(
      '"nodeId" is one of "zod", expected one schema: write z.object({ … })',
    )
  })

  it("treats an object without keywords as a JSON Schema", () => {
    expect(exportSchema({}, "input")).toEqual({})
  })

  it("rejects a schema that exports no JSON Schema", () => {
    // The types reject it, but untyped code may do so.
    const schema = v.string() as unknown as AnySchema

    expect(() => exportSchema(schema, "input")).toThrow('found a schema of "valibot" without JSON Schema')
  })

  it.each([null, "string", ["x"]])("refuses %s", (schema) => {
    // The same.
    expect(() => exportSchema(schema as unknown as AnySchema, "input")).toThrow("expected a JSON Schema")
  })
})
