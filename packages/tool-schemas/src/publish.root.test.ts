import { Validator } from "@cfworker/json-schema"
import { Ajv2020 } from "ajv/dist/2020.js"
import fc from "fast-check"
import { describe, expect, it, vi } from "vitest"
import { anyInstance, anySchema } from "../test/support/schema.js"
import { type PublishedInput, publish } from "./publish.js"
import { SchemaError } from "./schema-error.js"

// The validators we compare with take their time on a busy machine.
vi.setConfig({ testTimeout: 60_000 })

describe("toPublishedInput", () => {
  it("gives pure JSON with an object at its root and no boolean for a property, whatever the schema [tool-input]", () => {
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

  it("gives what the 2020-12 meta-schema takes [schema-valid]", () => {
    const ajv = new Ajv2020()

    fc.assert(
      fc.property(anySchema(), (author) => {
        expect(ajv.validateSchema(attempt(author).schema), ajv.errorsText()).toBe(true)
      }),
      { numRuns: 1000 },
    )
  })

  it("lets in exactly what the author's schema lets in", () => {
    fc.assert(
      fc.property(anySchema(), fc.array(anyInstance(), { minLength: 1, maxLength: 5 }), (author, instances) => {
        const { schema, wrapped } = attempt(author)
        const [before, after] = [toJudge(author), toJudge(schema)]
        // Arguments are an object; only the author's root may let in others, by leaving out its type.
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

/** Nothing but a reference that goes round in a circle may be refused. */
function attempt(author: Record<string, unknown>): PublishedInput {
  try {
    return publish(author, { profile: "verbatim" })
  } catch (error) {
    fc.pre(!(error instanceof SchemaError && error.code === "dangling_ref"))
    throw error
  }
}

/** Gives verdicts; `undefined` where the validator recurses without end. It writes into the schema it is given. */
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
