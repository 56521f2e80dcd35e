import fc from "fast-check"

/**
 * Generates schemas that vendors stumble over: numbers, patterns, booleans, references and names of all kinds, in all dialects.
 */
export function wildSchema(): fc.Arbitrary<Record<string, unknown>> {
  return fc.record({ root: schemas, a: schemas, b: schemas }).map(({ root, a, b }) => {
    const $defs = { a, "b c": b }
    return typeof root === "boolean" ? { anyOf: [root], $defs } : { ...root, $defs }
  })
}

const bigs = [2 ** 53, -(2 ** 63), 9.223372036854776e18, 1e308, -1.7976931348623157e308, 9007199254740991, 0.1, -3, 0]
const number = fc.oneof(fc.constantFrom(...bigs), fc.integer({ min: -5, max: 5 }))
const count = fc.constantFrom(0, 1, 3, 499, 501, 1999, 2000, 10_000, 2 ** 31, 2 ** 53, -1, 1.5)
const pattern = fc.constantFrom(
  ...["^a+$", "a", "^(?!undefined$)", "(?<=a)b", "^(a)\\1$", "^\\p{L}+$", "^[\\w-.]+$", "\\S", "^\\d{3}$", "^(a+)+$"],
  ...[
    "^[a-z]{3000}$",
    "^a|b$",
    "[",
    "^(?:[a-z]+\\.)*x$",
    "^\\u{1f600}$",
    "^\\x41\\u0042$",
    "^.*?$",
    "^(?<year>\\d{4})$",
  ],
)
const format = fc.constantFrom("email", "uri", "date-time", "uuid", "int64", "binary", "card")
const name = fc.constantFrom("a", "b c", "日", "", "x".repeat(70), "constructor", "__proto__", "$ref", "a.b-c_1")
const value = fc.oneof(
  fc.constantFrom(
    null,
    true,
    "",
    "a",
    1,
    1.5,
    2 ** 63,
    -(2 ** 53),
    [],
    [2 ** 60],
    {},
    { a: 2 ** 60 },
    undefined,
    Number.NaN,
  ),
  fc.string({ maxLength: 3 }),
)
const type = fc.constantFrom(
  "null",
  "boolean",
  "integer",
  "number",
  "string",
  "array",
  "object",
  "file",
  "typed-buffer",
)
const words = fc.constantFrom("Some words", "", 'with "quotes" and \\', "half \ud83d")
const ref = fc.constantFrom("#/$defs/a", "#/$defs/b%20c", "#", "#/properties/a")

const { schema: schemas } = fc.letrec<{
  schema: Record<string, unknown> | boolean
  list: unknown[]
  named: object
}>((tie) => {
  const families = [
    {
      type: fc.oneof(type, fc.uniqueArray(type, { maxLength: 3 })),
      nullable: fc.boolean(),
      title: words,
      description: words,
    },
    {
      default: value,
      examples: fc.array(value, { maxLength: 2 }),
      deprecated: fc.boolean(),
      "x-own": value,
      $comment: words,
    },
    { enum: fc.array(value, { maxLength: 4 }), const: value, type },
    { minimum: number, maximum: number, multipleOf: number, type: fc.constantFrom("integer", "number") },
    {
      exclusiveMinimum: fc.oneof(number, fc.boolean()),
      exclusiveMaximum: fc.oneof(number, fc.boolean()),
      minimum: number,
    },
    { minLength: count, maxLength: count, pattern, format, type: fc.constant("string") },
    { contentEncoding: fc.constantFrom("base64", "binary"), contentMediaType: fc.constantFrom("image/png", "image/*") },
    { minItems: count, maxItems: count, uniqueItems: fc.boolean(), items: tie("schema"), type: fc.constant("array") },
    { items: fc.oneof(tie("schema"), tie("list")), additionalItems: tie("schema"), unevaluatedItems: tie("schema") },
    { prefixItems: tie("list"), items: tie("schema"), contains: tie("schema"), minContains: count },
    { properties: tie("named"), required: fc.array(name, { maxLength: 3 }), additionalProperties: tie("schema") },
    {
      patternProperties: fc.dictionary(pattern, tie("schema"), { maxKeys: 1 }),
      propertyNames: tie("schema"),
      maxProperties: count,
    },
    {
      required: fc.oneof(fc.array(name, { maxLength: 2 }), fc.boolean()),
      unevaluatedProperties: tie("schema"),
      minProperties: count,
    },
    {
      dependencies: fc.dictionary(name, fc.oneof(tie("schema"), fc.array(name, { maxLength: 2 })), { maxKeys: 1 }),
      dependentRequired: fc.dictionary(name, fc.array(name, { maxLength: 2 }), { maxKeys: 1 }),
    },
    { allOf: tie("list"), anyOf: tie("list") },
    { oneOf: tie("list"), not: tie("schema") },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    { if: tie("schema"), then: tie("schema"), else: tie("schema") },
    { $ref: ref, description: words, minLength: count },
  ]
  const family = fc.oneof(...families.map((each) => fc.record<Record<string, unknown>>(each, { requiredKeys: [] })))
  return {
    schema: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      fc.record({ type }),
      fc.boolean(),
      family,
      fc.tuple(family, family).map(([one, other]) => ({ ...one, ...other })),
      fc.record({ type: fc.constant("object"), properties: tie("named"), required: fc.array(name, { maxLength: 2 }) }),
    ),
    list: fc.array(tie("schema"), { minLength: 1, maxLength: 3 }),
    named: fc.dictionary(name, tie("schema"), { maxKeys: 3 }),
  }
})
