import { describe, expect, it } from "vitest"
import type { Keywords } from "../src/json-schema.js"
import type { Vendor } from "./support/vendor-rule.js"
import { VENDOR_RULES } from "./support/vendor-rules.js"
import { violations } from "./support/violations.js"

/** Creates an input schema of one property. */
const input = (a: unknown): Keywords => ({ type: "object", properties: { a } })
const strict = (a: unknown): Keywords => ({ ...input(a), required: ["a"], additionalProperties: false })

/** Schemas that each rule rejects, in the order of the rules. */
const REFUSED: Readonly<Record<Vendor, readonly Keywords[]>> = {
  portable: [
    { type: "object" },
    input(true),
    { ...input({ type: "string" }), anyOf: [{ required: ["a"] }] },
    input({ type: "array", items: { $ref: "#/$defs/b" } }),
    input({ type: "object", properties: { "a b": { type: "string" } } }),
    input({ anyOf: [{ type: "array" }, { type: "string" }] }),
    input({ type: ["string", "null"] }),
    input({ type: "array", prefixItems: [{ type: "string" }], items: { type: "string" } }),
    input({ const: 3 }),
    { ...input({ type: "string" }), additionalProperties: { type: "string" } },
  ],
  anthropic: [
    {},
    input(false),
    { ...input({}), oneOf: [{}] },
    { ...input({}), $defs: {} },
    { ...input({}), properties: { ü: {} } },
  ],
  openai: [{ type: "array" }, input(true), { ...input({}), allOf: [{}] }, input({ type: ["array", "null"] })],
  "openai-strict": [
    { properties: {} },
    strict(true),
    { ...strict({ type: "string" }), anyOf: [{ type: "object" }] },
    strict({ type: "array" }),
    strict({ type: "string", minLength: 1 }),
    strict({ type: "object", properties: { b: { type: "string" } }, required: [], additionalProperties: false }),
    strict({}),
    strict({ type: "string", format: "uri" }),
    strict(Array.from({ length: 10 }).reduce((items: object) => ({ type: "array", items }), { type: "string" })),
  ],
  gemini: [
    { type: "object" },
    input(true),
    { ...input({ type: "string" }), anyOf: [{ type: "object", properties: { b: { type: "string" } } }] },
    input({ type: "string", $ref: "#" }),
    input({ type: "array" }),
    input({ type: ["string"] }),
    input({ type: "string", const: "a" }),
    input({ description: "Anything" }),
    input({ type: "integer", enum: ["1"] }),
    input({ type: "string", format: "email" }),
    input({ type: "string", required: ["b"] }),
    input({ type: "string", items: { type: "string" } }),
    input({ type: "object", properties: {} }),
    { ...input({ type: "string" }), required: ["b"] },
  ],
  verbatim: [{ type: "object" }, input(true)],
}

describe("violations", () => {
  it.each(Object.entries(REFUSED))("finds schemas that each rule of %s rejects", (vendor, schemas) => {
    const rules = VENDOR_RULES[vendor as Vendor] // the keys are vendors
    expect(schemas.length).toBe(rules.length)
    for (const [index, { wants }] of rules.entries()) {
      expect(violations(vendor as Vendor, schemas[index] ?? {}).join("\n")).toContain(wants)
    }
  })

  it("accepts a plain tool for every vendor", () => {
    const plain = strict({ type: "array", items: { type: "string", enum: ["a"] } })
    const { additionalProperties: _, ...open } = plain

    expect(violations("openai-strict", plain)).toEqual([])
    for (const vendor of ["portable", "anthropic", "openai", "gemini", "verbatim"] as const) {
      expect(violations(vendor, open)).toEqual([])
    }
  })

  it("finds a schema that is too large as a whole", () => {
    const values = Array.from({ length: 1001 }, (_, index) => `v${index}`)

    expect(violations("openai-strict", strict({ type: "string", enum: values }))).toEqual([
      "at most 1,000 enum values (OpenAI, structured outputs)",
    ])
  })
})
