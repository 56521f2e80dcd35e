import { Mat4x4, Plane, Quat, Vec3 } from "@adobe/data/math"
import { Ajv2020 } from "ajv/dist/2020.js"
import { describe, expect, it } from "vitest"
import type { Keywords } from "./json-schema.js"
import { copyKeywords } from "./keywords.js"
import { publish } from "./publish.js"

/** Copies one schema's keywords; subschemas stay themselves. */
const clean = (source: Keywords) => copyKeywords(source, Object)

describe("copyKeywords", () => {
  it("keeps the keywords of 2020-12 unchanged", () => {
    const source = {
      type: ["string", "null"],
      title: "T",
      description: "D",
      default: null,
      examples: ["a"],
      deprecated: true,
      readOnly: false,
      minLength: 0,
      maxLength: 5,
      pattern: "^\\p{L}+$",
      format: "date-time",
      contentEncoding: "base64",
      contentMediaType: "image/png",
      properties: { __proto__: null, a: {} },
      patternProperties: { "^a": {} },
      additionalProperties: false,
      required: ["a"],
      dependentRequired: { a: ["b"] },
      dependentSchemas: { a: {} },
      unevaluatedProperties: false,
      prefixItems: [{}],
      items: false,
      contains: {},
      minContains: 0,
      maxContains: 2,
      minItems: 0,
      maxItems: 3,
      minProperties: 1,
      maxProperties: 4,
      uniqueItems: true,
      multipleOf: 0.5,
      minimum: -1e3,
      maximum: 0,
      exclusiveMinimum: -1,
      exclusiveMaximum: 1.5,
      allOf: [{}],
      not: {},
      if: {},
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: {},
      else: {},
    }

    expect(clean(source)).toEqual(source)
  })

  it.each<[string, Keywords, Keywords]>([
    [
      "what @adobe/data adds",
      {
        type: "number",
        precision: 1,
        layout: "packed",
        mutable: true,
        nonPersistent: true,
        ephemeral: true,
        transient: true,
        nonShared: true,
        partition: true,
        conditionals: [{ path: "$", value: {} }],
        interpolators: { linear: () => 1 },
      },
      { type: "number" },
    ],
    [
      "identifiers and dialects",
      { $schema: "http://json-schema.org/draft-07/schema#", $id: "x", $comment: "c", "x-a": 1 },
      {},
    ],
    [
      "bounds that JSON has no number for",
      { minimum: Number.NEGATIVE_INFINITY, maximum: Number.NaN, multipleOf: 0 },
      {},
    ],
    ["counts that are none", { minLength: -1, maxItems: 1.5, minProperties: "1", uniqueItems: 1 }, {}],
    [
      "a pattern that does not compile",
      { pattern: "[", patternProperties: { "(": {}, a: {} } },
      { patternProperties: { a: {} }, description: '(matches "[") (other names match "(")' },
    ],
    ["a format nobody knows", { format: "int32" }, {}],
    ["a default that JSON changes", { default: new Set([1]) }, {}],
    ["another such default", { default: { a: undefined } }, {}],
    ["a default of undefined", { default: undefined, const: undefined, items: undefined }, {}],
    ["empty combinators", { allOf: [], anyOf: [], oneOf: [], prefixItems: [] }, {}],
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    ["branches without a condition", { then: {}, else: {}, minContains: 1 }, {}],
    ["required that requires nothing", { required: [] }, {}],
    ["a boolean required", { required: true }, {}],
    ["an unknown type", { type: "any" }, {}],
    ["an unknown one among types", { type: ["string", "Date"] }, {}],
    ["words that are none", { title: 5, description: "", deprecated: "yes" }, {}],
    [
      "what closes over names of a pattern that does not compile",
      { patternProperties: { "(?i)^x-": {} }, additionalProperties: false, unevaluatedProperties: false },
      { patternProperties: {}, description: '(other names match "(?i)^x-")' },
    ],
  ])("drops %s", (_, source, cleaned) => {
    expect(clean(source)).toEqual(cleaned)
  })

  it.each<[string, Keywords, Keywords]>([
    [
      "a typed buffer as a list",
      { type: "typed-buffer", items: { type: "number" } },
      { type: "array", items: { type: "number" } },
    ],
    [
      "a blob as base64",
      { type: "blob", mediaType: "image/png" },
      { type: "string", contentEncoding: "base64", contentMediaType: "image/png" },
    ],
    [
      "a range of media types in words",
      { type: "blob", mediaType: "image/*", description: "A picture" },
      { type: "string", contentEncoding: "base64", description: "A picture (image/*)" },
    ],
    ["an entity in words", { type: "integer", entity: true }, { type: "integer", description: "(entity id)" }],
    ["ui as title and description", { ui: { name: "N", summary: "S", icon: "i" } }, { title: "N", description: "S" }],
    ["its own words before those of ui", { title: "T", ui: { name: "N" } }, { title: "T" }],
    ["the values that the type lets in", { type: "string", enum: ["a", null, 1] }, { type: "string", enum: ["a"] }],
    [
      "a constant that the type does not let in as nothing",
      { type: "string", const: null },
      { type: "string", not: {} },
    ],
    ["values of which the type lets none in as nothing", { type: "string", enum: [1] }, { type: "string", not: {} }],
    ["each value once", { enum: ["a", 1, "a", { b: 1 }, { b: 1 }, Number.NaN] }, { enum: ["a", 1, { b: 1 }] }],
    ["each required name once", { required: ["a", "a", 5] }, { required: ["a"] }],
    ["each type once", { type: ["array", "typed-buffer"] }, { type: "array" }],
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    ["an if alone with a branch, for what it evaluates", { if: {} }, { if: {}, then: {} }],
    ["an empty enum as what lets nothing in", { enum: [] }, { not: {} }],
    [
      "a pattern that compiles without the flag only as one that does with it",
      { pattern: "^[\\w-.]$", patternProperties: { "\\_": {} } },
      { pattern: "^[\\w\\-.]$", patternProperties: { _: {} } },
    ],
    ["a list of items as prefixItems", { items: [{}], additionalItems: false }, { prefixItems: [{}], items: false }],
  ])("publishes %s", (_, source, cleaned) => {
    expect(clean(source)).toEqual(cleaned)
  })

  it("keeps a property called __proto__", () => {
    const source = JSON.parse('{"properties":{"__proto__":{"type":"string"}}}')

    expect(JSON.stringify(publish(source, { profile: "verbatim" }).schema)).toBe(
      '{"type":"object","properties":{"__proto__":{"type":"string"}}}',
    )
  })

  it("converts schemas of @adobe/data for a strict validator", () => {
    const compile = (schema: Keywords) => new Ajv2020({ strict: true, strictTypes: false }).compile(schema)
    const schemas = [Vec3.F32.schema, Quat.schema, Mat4x4.schema, Plane.schema]

    for (const schema of schemas) expect(() => compile(publish(schema).schema)).not.toThrow()
  })
})
