import type { JsonSchema } from "../../src/json-schema.js"

/** Twenty more schemas, written after the publishing code. All can be published. */
export const NASTIER_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  "names of keywords for properties": {
    type: "object",
    properties: {
      type: { type: "string" },
      properties: { type: "object", properties: { required: { type: "array", items: { type: "string" } } } },
      $ref: { type: "string" },
      enum: { enum: ["a", 1, null] },
      items: { $ref: "#/properties/type" },
      additionalProperties: { type: "boolean" },
    },
    required: ["type", "$ref"],
  },
  "names of what every object has": {
    type: "object",
    properties: JSON.parse(
      '{"__proto__": {"type": "string"}, "constructor": {"const": 1}, "toString": {"type": "null"}}',
    ),
    required: ["__proto__", "constructor", "hasOwnProperty"],
    $defs: JSON.parse('{"__proto__": {"type": "string"}}'),
  },
  "anchors, and references by the schema's own name": {
    $id: "https://example.com/root",
    type: "object",
    properties: { a: { $ref: "#item" }, b: { $ref: "https://example.com/root#/$defs/all" } },
    $defs: { all: { $anchor: "whole", type: "array", items: { $anchor: "item", type: "integer" } } },
  },
  "escapes in references": {
    type: "object",
    properties: { a: { $ref: "#/$defs/a~1b~0c%25d" }, b: { $ref: "#/$defs/%E6%97%A5" } },
    $defs: { "a/b~c%d": { type: "string", maxLength: 3 }, 日: { type: "number", multipleOf: 0.01 } },
  },
  "recursion through a map, a list and a choice": {
    $ref: "#/$defs/json",
    $defs: {
      json: {
        type: "object",
        additionalProperties: {
          oneOf: [
            { type: ["string", "number", "boolean", "null"] },
            { type: "array", items: { $ref: "#/$defs/json" } },
            { $ref: "#/$defs/json" },
          ],
        },
      },
    },
  },
  "what cannot be": {
    type: "object",
    properties: {
      a: { allOf: [{ type: "string" }, { type: "number" }] },
      b: { type: "string", minLength: 5, maxLength: 2 },
      c: { enum: [], type: "string" },
      d: { not: {} },
      e: { type: "integer", minimum: 3, maximum: 2 },
      f: { type: "array", items: { type: "string" }, minItems: 3, maxItems: 1 },
    },
  },
  "an enum of objects, lists, and numbers beside their texts": {
    type: "object",
    properties: { a: { enum: [{ x: 1 }, [1, [2]], 1, "1", 1.5, "1.5", true, "true", null, "null", ""] } },
  },
  "an enum of one kind, with a type of another": {
    type: "object",
    properties: {
      a: { type: "integer", enum: ["1", "2"] },
      b: { type: "string", enum: [1, "b"] },
      c: { type: "null", const: 3 },
    },
  },
  "constants of lists and objects": {
    type: "object",
    properties: { a: { const: { deep: [1, { er: null }] } }, b: { const: [] }, c: { const: {} }, d: { const: "" } },
  },
  "patterns with what other dialects have": {
    type: "object",
    properties: Object.fromEntries(
      [
        ...["(?i)abc", "\\Aabc\\z", "[[:alpha:]]+", "(?P<year>\\d+)", "a++", "(?>a|b)", "\\p{IsGreek}", "^[^\\]]*$"],
        ...[
          "^(?:a{0}|b{3,1})$",
          "^\\cA$",
          "^[\\b]$",
          "^[a-\\d]$",
          "^$",
          "^^a$$",
          "^/.*/i$",
          "^\\/$",
          "^[^]$",
          "^.{1,5000}$",
        ],
        ...[
          "^(a|)$",
          "^()$",
          "^\\0$",
          '^"$',
          "^\\\\$",
          "^[\\]\\[^-]$",
          "^\u2028$",
          "^😀+$",
          "^[😀-😂]$",
          "^{$",
          "^a{,3}$",
        ],
      ].map((pattern, index) => [`p${index}`, { type: "string", pattern }]),
    ),
  },
  "names by patterns that overlap": {
    type: "object",
    properties: {
      headers: {
        type: "object",
        properties: { accept: { type: "string" } },
        patternProperties: { "^x-": { type: "string" }, "^x-n-": { type: "string", maxLength: 5 }, "(?=a)": true },
        additionalProperties: { type: "integer" },
        propertyNames: { pattern: "^[a-z-]+$", maxLength: 20 },
        minProperties: 1,
        maxProperties: 2 ** 31,
      },
    },
  },
  "a tuple of tuples, with and without an end": {
    type: "object",
    properties: {
      line: {
        type: "array",
        prefixItems: [
          { type: "array", prefixItems: [{ type: "number" }, { type: "number" }], items: false },
          { type: "array", prefixItems: [{ type: "number" }], items: { type: "string" }, contains: { const: "x" } },
        ],
        unevaluatedItems: false,
      },
    },
  },
  "conditions within conditions": {
    type: "object",
    properties: { kind: { enum: ["a", "b", "c"] }, value: {} },
    allOf: [
      {
        if: { properties: { kind: { const: "a" } } },
        // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
        then: { properties: { value: { type: "string" } } },
        else: {
          if: { properties: { kind: { const: "b" } } },
          // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
          then: { required: ["value"] },
          else: { not: { required: ["value"] } },
        },
      },
    ],
  },
  "words of every kind": {
    type: "object",
    title: "",
    description: 'Ends in */ and <script>, "quotes", \\n, \u0000, \u2028, \ud83d and 😀',
    properties: {
      a: {
        type: "string",
        title: "A\nB",
        description: "x".repeat(5_000),
        examples: ["\u0000", "\udfff"],
        default: "\u0007",
      },
      b: { type: "string", enum: ["\u0000", "\u2028", "a\nb", "\t", " ", '"', "\\", "😀", "\u200b", "x".repeat(300)] },
    },
  },
  "numbers at their ends": {
    type: "object",
    properties: {
      a: { type: "number", minimum: -0, maximum: 5e-324, multipleOf: 1e-300 },
      b: { type: "integer", minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER },
      c: { type: "integer", minimum: -(2 ** 63), exclusiveMaximum: 2 ** 64 },
      d: { type: "integer", minimum: 0.5, maximum: 10.25, multipleOf: 0.1 },
      e: { type: "number", enum: [1e21, -1e21, 0.1, -0] },
      f: { type: "number", const: 2 ** 60, default: 1e308 },
      g: { type: "number", exclusiveMinimum: 1, minimum: 1, exclusiveMaximum: 9, maximum: 20 },
    },
  },
  "a nullable reference, in four dialects": {
    type: "object",
    properties: {
      a: { $ref: "#/$defs/a", nullable: true },
      b: { anyOf: [{ $ref: "#/$defs/a" }, { type: "null" }] },
      c: { oneOf: [{ type: "null" }, { $ref: "#/$defs/a" }], default: null },
      d: { allOf: [{ $ref: "#/$defs/a" }], nullable: true, description: "May be null" },
    },
    $defs: { a: { type: "object", properties: { x: { type: "integer" } }, required: ["x"], title: "A" } },
  },
  "what has no name at all": {
    type: "object",
    properties: {
      "": { type: "string" },
      " ": { type: "string" },
      "\n": { type: "number" },
      "a.b": {},
      "a/b": {},
      "0": {},
    },
    required: ["", " ", "0"],
    additionalProperties: false,
  },
  "a class of Pydantic with a discriminated union": {
    $defs: {
      Cat: {
        properties: { pet: { const: "cat", default: "cat", title: "Pet", type: "string" } },
        title: "Cat",
        type: "object",
      },
      Dog: {
        properties: { pet: { const: "dog", title: "Pet", type: "string" } },
        required: ["pet"],
        title: "Dog",
        type: "object",
      },
    },
    properties: {
      pets: {
        items: {
          discriminator: { mapping: { cat: "#/$defs/Cat", dog: "#/$defs/Dog" }, propertyName: "pet" },
          oneOf: [{ $ref: "#/$defs/Cat" }, { $ref: "#/$defs/Dog" }],
        },
        title: "Pets",
        type: "array",
        uniqueItems: true,
      },
    },
    required: ["pets"],
    title: "Arguments",
    type: "object",
  },
  "keywords whose values are wrong": {
    type: "object",
    // Typical output of loose generators, which the author's own checker would reject.
    properties: {
      a: { type: "string", minLength: "3", pattern: 7, format: null, enum: "x" } as object,
      b: { type: "array", minItems: -1, uniqueItems: "yes" } as object,
      c: { type: "object", properties: {}, required: "x" } as object,
      d: { type: "number", minimum: "0", maximum: null, multipleOf: 0 } as object,
      e: { anyOf: [], oneOf: {}, allOf: null } as object,
    },
  },
  "a hundred choices, each with its own names": {
    type: "object",
    properties: {
      event: {
        oneOf: Array.from({ length: 100 }, (_, index) => ({
          type: "object",
          properties: {
            type: { const: `event-${index}` },
            [`データ${index}`]: { type: ["string", "integer", "null"] },
          },
          required: ["type", `データ${index}`],
          additionalProperties: false,
        })),
      },
    },
    required: ["event"],
  },
}
