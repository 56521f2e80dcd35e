import { describe, expect, it } from "vitest"
import { profileNames } from "../src/profile-name.js"
import { checkSchema } from "./support/check-schema.js"
import { toJudge } from "./support/judge.js"

/** All places of a schema, from 2020-12, core, section 10, and validation, section 8. */
const PLACES: Readonly<Record<string, (schema: boolean) => object>> = {
  properties: (schema) => ({ type: "object", properties: { a: schema } }),
  patternProperties: (schema) => ({ type: "object", patternProperties: { "^a": schema } }),
  additionalProperties: (schema) => ({ type: "object", properties: { b: {} }, additionalProperties: schema }),
  propertyNames: (schema) => ({ type: "object", propertyNames: schema }),
  unevaluatedProperties: (schema) => ({ type: "object", properties: { b: {} }, unevaluatedProperties: schema }),
  dependentSchemas: (schema) => ({ type: "object", dependentSchemas: { a: schema } }),
  items: (schema) => ({ type: "array", items: schema }),
  prefixItems: (schema) => ({ type: "array", prefixItems: [schema, {}] }),
  contains: (schema) => ({ type: "array", contains: schema }),
  unevaluatedItems: (schema) => ({ type: "array", prefixItems: [{}], unevaluatedItems: schema }),
  allOf: (schema) => ({ allOf: [schema, { type: "string" }] }),
  anyOf: (schema) => ({ anyOf: [schema, { type: "string" }] }),
  oneOf: (schema) => ({ oneOf: [schema, { type: "string" }] }),
  not: (schema) => ({ not: schema }),
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  if: (schema) => ({ if: schema, then: { type: "string" }, else: { type: "number" } }),
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: (schema) => ({ if: { type: "string" }, then: schema }),
  else: (schema) => ({ if: { type: "string" }, else: schema }),
  contentSchema: (schema) => ({ type: "string", contentMediaType: "application/json", contentSchema: schema }),
  $defs: () => ({ $ref: "#/$defs/a" }),
}

const VALUES = [{}, { a: 1 }, { b: 1 }, [], [1], [1, 2], "a", 1, null]

describe.each(profileNames)("publish for %s", (profile) => {
  it.each(
    Object.entries(PLACES).flatMap(([place, make]) => [
      [place, true, make(true)] as const,
      [place, false, make(false)] as const,
    ]),
  )("accepts in %s the schema %s, with its meaning", (_place, schema, made) => {
    const author = { type: "object", properties: { it: made }, $defs: { a: schema } }
    const judge = toJudge(author)
    const samples = VALUES.map((it) => ({ data: { it }, valid: judge({ it }) === true }))

    expect(checkSchema(author, profile, samples)).toMatchObject({
      outcome: "published",
      violations: [],
      disagreements: [],
    })
  })
})
