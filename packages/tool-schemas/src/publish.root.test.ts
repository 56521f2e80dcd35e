import { Validator } from "@cfworker/json-schema"
import { Ajv2020 } from "ajv/dist/2020.js"
import fc from "fast-check"
import { describe, expect, it, vi } from "vitest"
import { anyInstance, anySchema } from "../test/support/schema.js"
import { type PublishedInput, publish } from "./publish.js"
import { SchemaError } from "./schema-error.js"

// The reference validators take time on a busy machine.
vi.setConfig({ testTimeout: 60_000 })

describe("toPublishedInput", () => {
  it("publishes any schema as pure JSON with an object at its root and no boolean properties [tool-input]", () => {
    fc.assert(
      fc.property(anySchema(), (author) => {
        const { schema } = attempt(author)

        expect(JSON.parse(JSON.stringify(schema))).toStrictEqual(schema)
        expect(schema.type).toBe("object")
        expect(Object.values(Object(schema["properties"])).some((property) => typeof property !== "object")).toBe(false)
      }),
      { numRuns: 1000 },
    )
  })

  it("publishes schemas that the 2020-12 meta-schema accepts [schema-valid]", () => {
    const ajv = new Ajv2020()

    fc.assert(
      fc.property(anySchema(), (author) => {
        expect(ajv.validateSchema(attempt(author).schema), ajv.errorsText()).toBe(true)
      }),
      { numRuns: 1000 },
    )
  })

  it("accepts exactly the values of the author's schema", () => {
    fc.assert(
      fc.property(anySchema(), fc.array(anyInstance(), { minLength: 1, maxLength: 5 }), (author, instances) => {
        const { schema, wrapped } = attempt(author)
        const [before, after] = [toJudge(author), toJudge(schema)]
        // Arguments are an object; only the author's root may accept other values, by omitting its type.
        for (const instance of wrapped === undefined ? instances.filter(isObject) : instances) {
          const verdict = before(instance)
          if (verdict === undefined) continue
          expect(after(wrapped === undefined ? instance : { [wrapped]: instance })).toBe(verdict)
        }
      }),
      { numRuns: 600 },
    )
  })
})

/** Only cyclic references may be rejected. */
function attempt(author: Record<string, unknown>): PublishedInput {
  try {
    return publish(author, { profile: "verbatim" })
  } catch (error) {
    fc.pre(!(error instanceof SchemaError && error.code === "dangling_ref"))
    throw error
  }
}

/** Creates a judge; verdicts are `undefined` when the validator recurses endlessly. It modifies its schema. */
function toJudge(schema: object): (instance: unknown) => boolean | undefined {
  const validator = new Validator(structuredClone(schema), "2020-12")
  return (instance) => {
    try {
      return validator.validate(instance).valid
    } catch (error) {
      if (error instanceof RangeError) return undefined
      throw error
    }
  }
}

function isObject(instance: unknown): boolean {
  return typeof instance === "object" && instance !== null && !Array.isArray(instance)
}

describe("an object with a condition at its root", () => {
  const condition = {
    if: { required: ["a"] },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { required: ["b"] },
  }
  const author = { type: "object", properties: { a: { type: "string" }, b: { type: "number" } }, ...condition } as const

  it.each(["portable", "anthropic", "openai", "openai-strict", "gemini"] as const)(
    "stays an object, and says the condition in words, for %s",
    (profile) => {
      const { schema, wrapped, toInput } = publish(author, { profile })

      expect(wrapped).toBeUndefined()
      expect(Object.keys(Object(schema["properties"]))).toEqual(["a", "b"])
      expect(schema).not.toHaveProperty("if")
      expect(schema["description"]).toContain('if: {"required":["a"]}; then: {"required":["b"]}')
      expect(toInput({ a: "x", b: 1 })).toEqual({ a: "x", b: 1 })
    },
  )

  it("stays unchanged with verbatim", () => {
    expect(publish(author, { profile: "verbatim" })).toMatchObject({ schema: author, wrapped: undefined })
  })
})
