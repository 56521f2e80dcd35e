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

  it("throws for what JSON Schema cannot say", () => {
    expect(() => exportSchema(z.date(), "input")).toThrow()
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
