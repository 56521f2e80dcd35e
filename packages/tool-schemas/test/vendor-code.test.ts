import { describe, expect, it } from "vitest"
import type { Keywords } from "../src/json-schema.js"
import { codeProblems } from "./support/vendor-code.js"
import type { Vendor } from "./support/vendor-rule.js"

const input = (a: unknown): Keywords => ({ type: "object", properties: { a } })
const strict = (a: unknown): Keywords => ({ ...input(a), required: ["a"], additionalProperties: false })

describe("codeProblems", () => {
  it.each<[Vendor, string, Keywords]>([
    ["portable", "no anchors", input({ type: "string", pattern: "a" })],
    ["portable", "the escape \\d", input({ type: "string", pattern: "^\\d$" })],
    ["portable", "the escape \\.", input({ type: "string", pattern: "^[\\.]$" })],
    ["portable", "a group of a kind", input({ type: "string", pattern: "^(?!a)$" })],
    ["portable", "too many repetitions", input({ type: "string", maxLength: 2000 })],
    ["portable", "too many repetitions", input({ type: "array", items: {}, maxItems: 700 })],
    ["portable", "an endless grammar", input({ type: "string", minLength: 5, maxLength: 2 })],
    ["portable", "an endless grammar", input({ type: "array", items: {}, minItems: 2, maxItems: 1 })],
    ["portable", "a bound too far", input({ type: "integer", minimum: 9e15 })],
    ["portable", "a bound too far", input({ type: "integer", exclusiveMaximum: -9e15 })],
    ["portable", "the last byte of a character, repeated", input({ type: "string", pattern: "^é+$" })],
    ["portable", "an object, for the parts of a text", input({ type: "string", allOf: [{ minLength: 2 }] })],
    ["portable", "an object, for parts that are none", input({ allOf: [{ type: "string" }] })],
    ["portable", "unrecognized schema false", input({ type: "array", items: false })],
    ["portable", "lookaround", input({ type: "string", pattern: "^(?=a)$" })],
    ["portable", "maximum: 9223372036854776000 is too large", input({ maximum: 2 ** 63 })],
    ["portable", "becomes a text", input({ const: 1 })],
    ["portable", "property a", input(true)],
    ["anthropic", "is too large", input({ enum: [2 ** 63] })],
    ["openai", "lookaround", input({ patternProperties: { "(?<!a)": {} } })],
    ["openai-strict", "an open object", input({ type: "string" })],
    ["openai-strict", "an optional property", { ...strict({ type: "string" }), required: [] }],
    ["openai-strict", "required that is no property", { ...strict({ type: "string" }), required: ["a", "b"] }],
    ["openai-strict", "uniqueItems", strict({ type: "array", items: { type: "string" }, uniqueItems: true })],
    ["openai-strict", "an array without items", strict({ type: "array" })],
    ["openai-strict", "neither type nor anyOf", strict({ description: "Anything" })],
    ["openai-strict", "a reference to nowhere", strict({ $ref: "#/$defs/a" })],
    ["openai-strict", "format uri", strict({ type: "string", format: "uri" })],
    ["gemini", "both populated", input({ type: "string", anyOf: [] })],
    ["gemini", "enum of something else", input({ type: "integer", enum: [1] })],
    ["gemini", "left out, silently", input({ type: "object", additionalProperties: {} })],
    ["gemini", "a reference", input({ $ref: "#/$defs/a" })],
    ["gemini", "const", input({ const: "a" })],
    ["verbatim", "the root's type", { properties: {} }],
  ])("knows that %s has no room for: %s", (vendor, problem, schema) => {
    expect(codeProblems(vendor, schema).join("\n")).toContain(problem)
  })

  it("has no objection to a plain tool", () => {
    const plain = strict({ type: "string", pattern: "^[a-z]{2,5}(-[0-9]+)*$", description: "A name" })
    const { additionalProperties: _, ...open } = plain

    expect(codeProblems("openai-strict", plain)).toEqual([])
    for (const vendor of ["portable", "anthropic", "openai", "gemini", "verbatim"] as const) {
      expect(codeProblems(vendor, open)).toEqual([])
    }
  })
})
