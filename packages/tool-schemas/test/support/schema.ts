import fc from "fast-check"

/** Generates schemas of keywords that are published unchanged, including local definitions. */
export function anySchema(): fc.Arbitrary<Record<string, unknown>> {
  return fc.record({ root: schemas, a: schemas, b: schemas, legacy: schemas }).map(({ root, a, b, legacy }) => {
    const definitions = { $defs: { a, b }, definitions: { a: legacy } }
    return typeof root === "boolean" ? { allOf: [root], ...definitions } : { ...root, ...definitions }
  })
}

/** Generates JSON of the few keys and values that the schemas use, so that both verdicts occur. */
export function anyInstance(): fc.Arbitrary<unknown> {
  const { instance } = fc.letrec((tie) => ({
    instance: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      scalar,
      fc.dictionary(key, tie("instance"), { maxKeys: 3 }),
      fc.array(tie("instance"), { maxLength: 3 }),
    ),
  }))
  return instance
}

const key = fc.constantFrom("a", "b", "__proto__", "ab")
const scalar = fc.oneof(fc.constantFrom(null, true, false, "", "a", "ab", "abc"), fc.integer({ min: -2, max: 5 }))
const count = fc.nat(3)
const type = fc.constantFrom("null", "boolean", "integer", "number", "string", "array", "object")

const { schema: schemas } = fc.letrec<{ schema: Record<string, unknown> | boolean; list: unknown[]; named: object }>(
  (tie) => ({
    schema: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      fc.record({ type }),
      fc.boolean(),
      fc.constantFrom({ $ref: "#/$defs/a" }, { $ref: "#/$defs/b" }, { $ref: "#/definitions/a" }, { $ref: "#" }),
      fc.record({ enum: fc.array(scalar, { minLength: 1, maxLength: 3 }) }),
      fc.record(
        { type: fc.oneof(type, fc.uniqueArray(type, { minLength: 1 })), minimum: scalarNumber(), maxLength: count },
        { requiredKeys: [] },
      ),
      fc.record(
        {
          type: fc.constant("object"),
          properties: tie("named"),
          required: fc.array(key, { maxLength: 2 }),
          additionalProperties: tie("schema"),
          patternProperties: tie("named"),
          propertyNames: fc.record({ maxLength: count }),
          minProperties: count,
          dependentRequired: fc.dictionary(key, fc.array(key, { maxLength: 2 }), { maxKeys: 1 }),
          dependentSchemas: tie("named"),
          unevaluatedProperties: tie("schema"),
        },
        { requiredKeys: [] },
      ),
      fc.record(
        {
          type: fc.constant("array"),
          prefixItems: tie("list"),
          items: tie("schema"),
          contains: tie("schema"),
          maxContains: count,
          minItems: count,
          uniqueItems: fc.boolean(),
        },
        { requiredKeys: [] },
      ),
      fc.record(
        { allOf: tie("list"), anyOf: tie("list"), oneOf: tie("list"), not: tie("schema"), const: scalar },
        { requiredKeys: [] },
      ),
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      fc.record({ if: tie("schema"), then: tie("schema"), else: tie("schema") }, { requiredKeys: [] }),
    ),
    list: fc.array(tie("schema"), { minLength: 1, maxLength: 2 }),
    named: fc.dictionary(key, tie("schema"), { maxKeys: 2 }),
  }),
)

function scalarNumber(): fc.Arbitrary<number> {
  return fc.integer({ min: -2, max: 5 })
}
