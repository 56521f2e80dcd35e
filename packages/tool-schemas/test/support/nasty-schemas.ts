import type { JsonSchema } from "../../src/json-schema.js"
import { doubling, holdsItself, manyProperties, nest } from "./nasty-shapes.js"

/** Schemas that broke somebody's code, by their difficulty. All can be published. */
export const NASTY_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  "a tree by reference": {
    type: "object",
    properties: { root: { $ref: "#/$defs/tree" } },
    $defs: {
      tree: {
        type: "object",
        properties: { name: { type: "string" }, children: { type: "array", items: { $ref: "#/$defs/tree" } } },
        required: ["name"],
      },
    },
  },
  "two definitions that hold each other": {
    type: "object",
    properties: { a: { $ref: "#/$defs/a" } },
    $defs: {
      a: { anyOf: [{ type: "null" }, { type: "object", properties: { b: { $ref: "#/$defs/b" } } }] },
      b: { type: "object", properties: { a: { $ref: "#/$defs/a" } }, additionalProperties: { $ref: "#/$defs/b" } },
    },
  },
  "a root that refers to itself": {
    type: "object",
    properties: { and: { type: "array", items: { $ref: "#" } }, value: { type: "number" } },
  },
  "an object that holds itself": holdsItself,
  "references that double at every level": {
    type: "object",
    properties: { all: { $ref: "#/$defs/d12" } },
    $defs: doubling,
  },
  "many properties": {
    type: "object",
    properties: manyProperties,
    required: Object.keys(manyProperties).slice(0, 300),
  },
  "an enum of thousands": {
    type: "object",
    properties: { code: { type: "string", enum: Array.from({ length: 2000 }, (_, index) => `code-${index}`) } },
  },
  "objects thirty deep": {
    type: "object",
    properties: { deep: nest(30, (inner) => ({ type: "object", properties: { inner }, required: ["inner"] })) },
  },
  "lists thirty deep": { type: "object", properties: { deep: nest(30, (items) => ({ type: "array", items })) } },
  "if, then and else": {
    type: "object",
    properties: {
      address: {
        type: "object",
        properties: { country: { type: "string" }, code: { type: "string" } },
        if: { properties: { country: { const: "US" } }, required: ["country"] },
        // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
        then: { properties: { code: { pattern: "^[0-9]{5}$" } } },
        else: { required: ["code"] },
      },
    },
  },
  "prefixItems, and nothing after them": {
    type: "object",
    properties: { point: { prefixItems: [{ type: "number" }, { enum: ["px", "em"] }], items: false, minItems: 2 } },
  },
  "a list of items, by draft 7, and others after them": {
    $schema: "http://json-schema.org/draft-07/schema#",
    type: "object",
    properties: {
      row: { type: "array", items: [{ type: "string" }, true], additionalItems: { type: "integer" } },
      any: { type: "array" },
      none: { type: "array", items: false },
    },
  },
  "patterns for names, and closed": {
    type: "object",
    properties: {
      labels: {
        type: "object",
        patternProperties: { "^x-": { type: "string" }, "^[0-9]+$": { type: ["number", "null"] } },
        additionalProperties: false,
        propertyNames: { maxLength: 20 },
      },
    },
  },
  "maps of maps": {
    type: "object",
    properties: {
      groups: {
        type: "object",
        additionalProperties: { type: "object", additionalProperties: { type: "array", items: { type: "integer" } } },
      },
    },
    additionalProperties: { type: "string" },
  },
  "constants of every type": {
    type: "object",
    properties: {
      a: { const: null },
      b: { const: 3 },
      c: { const: true },
      d: { const: { x: [1] } },
      e: { const: "" },
      f: { enum: [1, "1", null, true, [], {}] },
    },
    required: ["a"],
  },
  "null in every way": {
    type: "object",
    properties: {
      a: { type: ["string", "null"], minLength: 1 },
      b: { anyOf: [{ type: "object", properties: { x: { type: "number" } } }, { type: "null" }] },
      c: { type: "string", nullable: true, enum: ["a", "b"] },
      d: { type: "null" },
      e: { oneOf: [{ type: "string" }, { type: "null" }, { type: "array", items: { type: "string" } }] },
    },
    required: ["a", "b", "c", "d", "e"],
  },
  "booleans for schemas everywhere": {
    type: "object",
    properties: {
      yes: true,
      no: false,
      list: { type: "array", items: true },
      some: { anyOf: [true, { type: "string" }] },
    },
    additionalProperties: true,
  },
  "bounds by draft 4": {
    $schema: "http://json-schema.org/draft-04/schema#",
    id: "http://example.com/old.json",
    type: "object",
    properties: { share: { type: "number", minimum: 0, exclusiveMinimum: true, maximum: 1, exclusiveMaximum: false } },
    required: ["share"],
  },
  "dependencies by draft 7": {
    type: "object",
    properties: { card: { type: "string" }, bill: { type: "string" }, zip: { type: "string" } },
    dependencies: { card: ["bill"], bill: { required: ["zip"], properties: { zip: { minLength: 3 } } } },
  },
  "anchors, and a dynamic one": {
    type: "object",
    properties: { a: { $ref: "#named" }, b: { $dynamicRef: "#node" } },
    $defs: { one: { $anchor: "named", type: "string" }, two: { $dynamicAnchor: "node", type: "integer" } },
  },
  "a root that is a choice": {
    oneOf: [
      { type: "object", properties: { id: { type: "integer" } }, required: ["id"] },
      { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
    ],
  },
  "parts that have to hold together": {
    allOf: [
      { type: "object", properties: { a: { type: "string" } }, required: ["a"] },
      { type: "object", properties: { a: { minLength: 2 }, b: { type: "number" } } },
    ],
    unevaluatedProperties: false,
  },
  anything: true,
  nothing: false,
  "property names of all kinds": {
    type: "object",
    properties: {
      "": { type: "string" },
      "ein Name": { type: "string" },
      日本: { type: "object", properties: { "a/b~c": { type: "number" } }, required: ["a/b~c"] },
      ["x".repeat(80)]: { type: "string" },
      constructor: { type: "string" },
      wrapped: { type: "array", contains: { type: "integer" }, minContains: 2, uniqueItems: true },
    },
    required: ["", "日本"],
  },
  "components of OpenAPI": {
    $ref: "#/components/schemas/Chat",
    components: {
      schemas: {
        Chat: {
          type: "object",
          properties: {
            user_message: { $ref: "#/components/schemas/Message" },
            sly_data: { type: "object", additionalProperties: true, nullable: true },
          },
          required: ["user_message"],
        },
        Message: {
          type: "object",
          properties: {
            type: { type: "integer", format: "int32", enum: [0, 1, 2] },
            text: { type: "string" },
            origin: { type: "array", items: { $ref: "#/components/schemas/Origin" } },
          },
        },
        Origin: { allOf: [{ $ref: "#/components/schemas/Named" }, { properties: { index: { type: "integer" } } }] },
        Named: { type: "object", properties: { tool: { type: "string" } } },
      },
    },
  },
  "bounds of 64 bits": {
    type: "object",
    properties: {
      micros: { type: "integer", minimum: -9223372036854776000, maximum: 9223372036854776000 },
      ratio: { type: "number", minimum: -1.7976931348623157e308, exclusiveMaximum: 1.7976931348623157e308 },
      flags: { enum: [1, 18446744073709552000] },
      seed: { type: "integer", default: 9223372036854776000, examples: [9223372036854776000] },
    },
  },
  "an email by zod, with lookaround": {
    type: "object",
    properties: {
      to: {
        type: "array",
        items: {
          type: "string",
          format: "email",
          pattern:
            "^(?!\\.)(?!.*\\.\\.)([A-Za-z0-9_'+\\-\\.]*)[A-Za-z0-9_+-]@([A-Za-z0-9][A-Za-z0-9\\-]*\\.)+[A-Za-z]{2,}$",
        },
      },
    },
    required: ["to"],
  },
  "patterns of all kinds": {
    type: "object",
    properties: {
      open: { type: "string", pattern: "\\S" },
      twice: { type: "string", pattern: "^(['\"]).*\\1$" },
      letters: { type: "string", pattern: "^\\p{Lu}\\p{L}*$" },
      legacy: { type: "string", pattern: "^[\\w-.]+\\@x$" },
      either: { type: "string", pattern: "^a|b$" },
      lazy: { type: "string", pattern: "^.+?$" },
      word: { type: "string", pattern: "^\\bcat\\b$" },
      emoji: { type: "string", pattern: "^\\u{1f600}+$" },
      long: { type: "string", pattern: "^[a-z]{5000}$" },
    },
  },
  "patterns for names, with lookbehind": {
    type: "object",
    properties: {
      env: { type: "object", patternProperties: { "(?<!_)$": { type: "string" } }, additionalProperties: false },
    },
  },
  "counts that no grammar can write": {
    type: "object",
    properties: {
      text: { type: "string", minLength: 1, maxLength: 10_000 },
      list: { type: "array", items: { type: "string" }, maxItems: 1000 },
      any: { type: "array", items: {}, minItems: 2_147_483_648 },
    },
  },
  "lists of which nothing is let in": {
    type: "object",
    properties: {
      none: { type: "array", items: false },
      all: { type: "array", items: true },
      two: { items: [true, false] },
    },
  },
  "required without a property": {
    type: "object",
    properties: { a: { type: "string" }, deep: { type: "object", required: ["b c", "d"] } },
    required: ["a", "z", "ü"],
  },
  "files and dates by zod": {
    type: "object",
    properties: {
      when: { type: "string", format: "date-time" },
      image: {
        type: "string",
        format: "binary",
        contentEncoding: "base64",
        contentMediaType: "image/png",
        maxLength: 136,
      },
      count: { type: "string", pattern: "^-?[0-9]+$" },
    },
  },
  "a type beside values that it does not let in": {
    type: "object",
    properties: {
      a: { type: "string", enum: ["x", null, 1] },
      b: { type: "integer", const: "1" },
      c: { allOf: [{ type: "boolean" }, { enum: ["yes", "no"] }] },
    },
  },
  "null alone": {
    type: "object",
    properties: {
      a: { type: "null" },
      b: { const: null },
      c: { enum: [null] },
      d: { type: "array", items: { type: "null" } },
    },
  },
  "a definition used often": {
    type: "object",
    properties: Object.fromEntries(["from", "to", "bill", "ship"].map((name) => [name, { $ref: "#/$defs/address" }])),
    $defs: {
      address: {
        type: "object",
        description: "Where somebody lives, or something is to be sent to, as it stands on an envelope",
        properties: { street: { type: "string" }, city: { type: "string" }, country: { $ref: "#/$defs/country" } },
      },
      country: { type: "string", enum: Array.from({ length: 60 }, (_, index) => `C${index}`) },
    },
  },
  "a union that holds itself": {
    type: "object",
    properties: { filter: { $ref: "#/$defs/filter" } },
    $defs: {
      filter: {
        anyOf: [
          {
            type: "object",
            properties: { and: { type: "array", items: { $ref: "#/$defs/filter" } } },
            required: ["and"],
          },
          { type: "object", properties: { "field name": { type: "string" }, value: {} }, required: ["field name"] },
        ],
      },
    },
  },
  "a map of what holds itself": {
    type: "object",
    properties: { tree: { $ref: "#/$defs/tree" } },
    $defs: { tree: { type: "object", additionalProperties: { $ref: "#/$defs/tree" } } },
  },
  "parts by reference": {
    type: "object",
    properties: { origin: { allOf: [{ $ref: "#/$defs/named" }, { $ref: "#/$defs/placed" }, { required: ["x"] }] } },
    $defs: {
      named: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
      placed: { type: "object", properties: { x: { type: "number" }, y: { type: "number" } } },
    },
  },
  "odd names where nobody can tell which": {
    type: "object",
    properties: {
      a: { type: "object", patternProperties: { "^x": { type: "object", properties: { "b c": {} } } } },
      b: { type: "object", unevaluatedProperties: { type: "object", properties: { "b c": {} } } },
      c: { type: "array", unevaluatedItems: { type: "object", properties: { "b c": {} } } },
      d: { type: "object", dependentSchemas: { x: { properties: { "b c": { type: "string" } } } } },
    },
  },
  "what is said of content": {
    type: "object",
    properties: {
      json: {
        type: "string",
        contentMediaType: "application/json",
        contentSchema: { type: "object", properties: { "a b": { type: "string" } } },
      },
    },
  },
  "half a character": {
    type: "object",
    description: "half \ud83d",
    properties: { "half \udc00": { type: "string", enum: ["\ud83d"], default: "\ud83d" } },
  },
  "types that nobody knows": {
    type: "object",
    properties: { a: { type: "file" }, b: { type: ["string", "date"] }, c: { type: "any" }, d: { type: [] } },
  },
  "draft 3": {
    $schema: "http://json-schema.org/draft-03/schema#",
    type: "object",
    properties: { a: { type: "string", required: true }, b: { type: "number", divisibleBy: 2, disallow: "string" } },
  },
  "a choice of one kind of thing by a constant": {
    type: "object",
    properties: {
      shape: {
        oneOf: [
          { type: "object", properties: { kind: { const: "circle" }, r: { type: "number" } }, required: ["kind", "r"] },
          { type: "object", properties: { kind: { const: "square" }, a: { type: "number" } }, required: ["kind", "a"] },
        ],
        discriminator: { propertyName: "kind" },
      },
    },
  },
}
