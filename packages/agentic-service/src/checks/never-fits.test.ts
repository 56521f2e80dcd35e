import { Ajv2020 } from "ajv/dist/2020.js"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { neverFits, neverFitsInput } from "./never-fits.js"

const text = { type: "string" }
const closed = { type: "object", properties: { text }, additionalProperties: false }

describe("neverFits", () => {
  it.each<[string, unknown, string]>([
    [
      "a misspelt required property",
      { ...closed, required: ["txet"] },
      'requires "txet", which its properties do not allow',
    ],
    [
      "one below",
      { type: "object", properties: { a: { ...closed, required: ["b"] } }, required: ["a"] },
      'at "/a", it requires "b"',
    ],
    ["a required property that may not be there", { properties: { a: false }, required: ["a"], type: "object" }, "/a"],
    ["crossed bounds of numbers", { type: "number", minimum: 5, maximum: 2 }, "at least 5 and at most 2"],
    ["bounds without a number between", { type: "number", exclusiveMinimum: 2, maximum: 2 }, "above and below 2"],
    ["bounds without an integer between", { type: "integer", minimum: 1.2, maximum: 1.8 }, "no integer"],
    ["crossed lengths", { type: "string", minLength: 5, maxLength: 2 }, "at least 5 and at most 2 characters"],
    ["crossed numbers of items", { type: "array", minItems: 3, maxItems: 1 }, "at least 3 and at most 1 items"],
    ["items that cannot be", { type: "array", minItems: 1, items: false }, 'at "/0"'],
    [
      "more properties than there may be",
      { type: "object", required: ["a", "b"], maxProperties: 1 },
      "requires 2 properties",
    ],
    ["an empty list of values", { enum: [] }, "no value in common"],
    ["a value of another type", { type: "string", enum: [1, 2] }, "none of its allowed values"],
    ["two values at once", { allOf: [{ const: 1 }, { const: 2 }] }, "no value in common"],
    ["two types at once", { allOf: [text, { type: "number" }] }, "no value is of type"],
    ["a type that is none", { type: "strng" }, 'of type ["strng"]'],
    ["choices that are impossible", { anyOf: [{ type: "string", minLength: 2, maxLength: 1 }, false] }, "characters"],
    ["choices of another type", { type: "object", anyOf: [text] }, "no value is of type"],
    ["one choice, twice", { oneOf: [text, { type: "string" }] }, "none of its alternatives can fit alone"],
    ["false", false, "nothing is allowed"],
    ["not anything", { not: {}, description: "Date" }, 'nothing is allowed ("Date")'],
    [
      "what it refers to",
      { properties: { a: { $ref: "#/$defs/a" } }, required: ["a"], $defs: { a: { enum: [] } }, type: "object" },
      'at "/a"',
    ],
    ["itself without end", { type: "object", properties: { next: { $ref: "#" } }, required: ["next"] }, "endlessly"],
  ])("reports %s", (_, schema, words) => {
    expect(neverFits(schema)).toContain(words)
  })

  it.each<[string, unknown]>([
    ["true", true],
    ["nothing in particular", {}],
    ["a required property that nobody describes", { type: "object", required: ["a"] }],
    [
      "one that a pattern allows",
      { type: "object", patternProperties: { "^a": text }, additionalProperties: false, required: ["ab"] },
    ],
    [
      "a list of itself",
      { type: "object", properties: { of: { type: "array", items: { $ref: "#" } } }, required: ["of"] },
    ],
    ["itself, or nothing", { properties: { next: { anyOf: [{ $ref: "#" }, { type: "null" }] } }, required: ["next"] }],
    ["bounds of another type", { type: ["string", "null"], minLength: 2, maxLength: 1 }],
    [
      "the same definition inside and outside",
      {
        $defs: { a: { type: "object" } },
        allOf: [{ $ref: "#/$defs/a" }],
        properties: { x: { $ref: "#/$defs/a" } },
        required: ["x"],
      },
    ],
    ["a reference that leads elsewhere", { $ref: "https://example.com/schema" }],
    ["a choice that is possible", { oneOf: [text, { type: "string", maxLength: 3 }, { type: "number" }] }],
  ])("lets %s be", (_, schema) => {
    expect(neverFits(schema)).toBeUndefined()
  })

  it("treats an action's properties without a type as an object's", () => {
    const { type: _type, ...untyped } = { ...closed, required: ["txet"] }

    expect(neverFits(untyped)).toBeUndefined()
    expect(neverFitsInput(untyped)).toContain('requires "txet"')
  })

  it("never rejects a schema for which a validator accepts some value", () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false, logger: false })
    const { schema } = fc.letrec((tie) => ({
      schema: fc.oneof(
        { maxDepth: 3 },
        fc.boolean(),
        fc.record(
          {
            type: fc.constantFrom("string", "number", "integer", "array", "object", "null"),
            minimum: fc.integer({ min: -2, max: 2 }),
            maximum: fc.integer({ min: -2, max: 2 }),
            minLength: fc.nat(2),
            maxLength: fc.nat(2),
            minItems: fc.nat(2),
            maxItems: fc.nat(2),
            enum: fc.array(fc.constantFrom(1, "a", null), { minLength: 1, maxLength: 2 }),
            items: tie("schema"),
            properties: fc.dictionary(fc.constantFrom("a", "b"), tie("schema")),
            additionalProperties: tie("schema"),
            required: fc.subarray(["a", "b"]),
            allOf: fc.array(tie("schema"), { minLength: 1, maxLength: 2 }),
            anyOf: fc.array(tie("schema"), { minLength: 1, maxLength: 2 }),
            oneOf: fc.array(tie("schema"), { minLength: 1, maxLength: 2 }),
            $ref: fc.constant("#"),
          },
          { requiredKeys: [] },
        ),
      ),
    }))
    const values = [null, 0, 1, 2, -1, "", "a", "ab", [], [1], ["a", "a"], {}, { a: 1 }, { a: "a", b: null }, { a: {} }]
    const accepts = (judged: unknown): boolean => {
      try {
        // Every generated value is a schema.
        const validate = ajv.compile(judged as boolean | object)
        return values.some((value) => validate(value))
      } catch {
        return false
      }
    }
    fc.assert(
      fc.property(schema, (judged) => {
        if (neverFits(judged) !== undefined) expect(accepts(judged)).toBe(false)
      }),
      { numRuns: 400 },
    )
  })
})
