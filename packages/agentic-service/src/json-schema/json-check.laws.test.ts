import { Ajv2020 } from "ajv/dist/2020.js"
import fc from "fast-check"
import { describe, expect, it, vi } from "vitest"
import { anyInstance, anySchema } from "../../../tool-schemas/test/support/schema.js"
import { createJsonCheck } from "./json-check.js"

// The reference validator compiles each schema, which takes time on a busy machine.
vi.setConfig({ testTimeout: 120_000 })

describe("createJsonCheck", () => {
  it.each([
    [{ properties: own({ type: "string" }) }, false],
    [{ properties: own({ type: "number" }), additionalProperties: false }, true],
    [{ patternProperties: own(false) }, false],
    [{ patternProperties: own(true), unevaluatedProperties: false }, true],
    [{ anyOf: [{ properties: own(true) }, true], unevaluatedProperties: false }, true],
    [{ dependentSchemas: own(false) }, false],
    [{ dependentRequired: own(["a"]) }, false],
    [{ required: ["__proto__"], const: own(1) }, true],
    [{ enum: [{}, own(2)] }, false],
  ])("follows what %j says of a property called __proto__", async (schema, ok) => {
    expect(await createJsonCheck(schema)(own(1))).toMatchObject({ ok })
  })

  it("agrees with another validator on any value and schema", async () => {
    const verdicts = new Map([
      [true, 0],
      [false, 0],
    ])
    await fc.assert(
      fc.asyncProperty(anySchema(), fc.array(anyInstance(), { minLength: 1, maxLength: 8 }), async (schema, values) => {
        const others = compile(rename(schema))
        const check = createJsonCheck(schema)
        for (const given of values) {
          // Ajv treats an object without a prototype, which JSON text never yields, as unequal to all others.
          const value: unknown = JSON.parse(JSON.stringify(given))
          const expected = others?.(rename(given))
          if (expected === undefined) continue
          const checked = await check(value)
          // A schema that refers to itself for the same value accepts nothing; Ajv accepts values for which it need not follow
          // the reference.
          if (!checked.ok && checked.issues[0]?.message.includes("refers to itself")) continue
          verdicts.set(expected, (verdicts.get(expected) ?? 0) + 1)
          expect(checked.ok, JSON.stringify({ schema, value })).toBe(expected)
        }
      }),
      { numRuns: 1000 },
    )
    for (const count of verdicts.values()) expect(count).toBeGreaterThan(100)
  })
})

/** Creates an object with a property of that name, like JSON text. */
function own<Value>(value: Value): Record<string, Value> {
  return JSON.parse(JSON.stringify({ other: value }).replace("other", "__proto__"))
}

/** Ajv 8.20 ignores rules about a property named `__proto__`, so it is asked about another name of equal length. */
function rename<Json>(json: Json): Json {
  return JSON.parse(JSON.stringify(json).replaceAll('"__proto__"', '"__other__"'))
}

/**
 * Returns `undefined` when Ajv loops, creates broken code, or is known to be wrong: 8.20 treats an empty list beside
 * `prefixItems` as containing something.
 */
function compile(schema: Record<string, unknown>): ((value: unknown) => boolean | undefined) | undefined {
  const text = JSON.stringify(schema)
  if (text.includes('"prefixItems"') && text.includes('"contains"')) return undefined
  try {
    const validate = new Ajv2020({ strict: false, validateFormats: false, ownProperties: true }).compile(schema)
    return (value) => {
      try {
        return validate(value)
      } catch (error) {
        if (error instanceof RangeError || error instanceof ReferenceError) return undefined
        throw error
      }
    }
  } catch {
    return undefined
  }
}
