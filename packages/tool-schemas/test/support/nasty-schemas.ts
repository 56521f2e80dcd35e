import type { JsonSchema } from "../../src/json-schema.js"
import { doubling, holdsItself, manyProperties, nest } from "./nasty-shapes.js"

/** Schemas that somebody's code has stumbled over, by what is nasty about them. All can be published. */
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
}
