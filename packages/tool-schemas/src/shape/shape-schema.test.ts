import { type Schema, Validator } from "@cfworker/json-schema"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { anyInstance, anySchema } from "../../test/support/schema.js"
import { publish } from "../publish.js"

/** `undefined` where a schema never comes to an end, as one that refers to itself for the same value. */
function compile(schema: object): (value: unknown) => boolean | undefined {
  const validator = new Validator(structuredClone(schema) as Schema, "2020-12") // as the validator calls any schema
  return (value) => {
    try {
      return validator.validate(value).valid
    } catch {
      return undefined
    }
  }
}

describe("publish", () => {
  it("publishes as portable what means the same, where it says of nothing that it became words", () => {
    fc.assert(
      fc.property(anySchema(), fc.array(anyInstance(), { minLength: 1, maxLength: 8 }), (author, values) => {
        const wide = {
          properties: { x: author },
          required: ["x"],
          $defs: author["$defs"],
          definitions: author["definitions"],
        }
        if (!isPublishable(wide)) return
        const { schema, changes, toInput } = publish(wide, { profile: "portable" })
        const { schema: verbatim } = publish(wide, { profile: "verbatim" })
        const loose = changes.some(({ how }) => how !== "rewritten")
        const published = compile(schema)
        const original = compile(verbatim)
        for (const x of values) {
          const said = published({ x })
          const meant = original(toInput({ x }))
          if (meant === undefined) continue
          if (meant && !said)
            throw new Error(`refuses ${JSON.stringify(x)}: ${JSON.stringify({ author, schema, changes })}`)
          if (!loose && said !== meant)
            throw new Error(`takes ${JSON.stringify(x)}: ${JSON.stringify({ author, schema, changes })}`)
        }
      }),
      { numRuns: 500 },
    )
    expect(true).toBe(true)
  })
})

function isPublishable(schema: Record<string, unknown>): boolean {
  try {
    publish(schema, { profile: "verbatim" })
    return true
  } catch {
    return false
  }
}
