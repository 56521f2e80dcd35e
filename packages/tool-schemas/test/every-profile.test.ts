import fc from "fast-check"
import { describe, expect, it, vi } from "vitest"
import type { ProfileName } from "../src/profiles.js"
import { type PublishedInput, publish } from "../src/publish.js"
import { SchemaError } from "../src/schema-error.js"
import { checkSchema, isLost, type Sample } from "./support/check-schema.js"
import { fitting } from "./support/fitting.js"
import { toJudge } from "./support/judge.js"
import { NASTIER_SCHEMAS } from "./support/nastier-schemas.js"
import { NASTY_SCHEMAS } from "./support/nasty-schemas.js"
import { REAL_TOOLS } from "./support/real-tools.js"
import { anyInstance, anySchema } from "./support/schema.js"

// Publishing is quick; the validators that judge it take their time on a busy machine.
vi.setConfig({ testTimeout: 120_000 })

const PROFILES: readonly ProfileName[] = ["portable", "anthropic", "openai", "openai-strict", "gemini", "verbatim"]

describe.each(PROFILES)("publish for %s", (profile) => {
  it.each(Object.entries(REAL_TOOLS))("makes what the vendor takes of a tool of %s", (_, schema) => {
    expect(checkSchema(schema, profile)).toMatchObject({ outcome: "published", violations: [] })
  })

  it.each(Object.entries({ ...NASTY_SCHEMAS, ...NASTIER_SCHEMAS }))(
    "makes what the vendor takes of %s",
    (_, schema) => {
      const before = structuredClone(schema)

      expect(checkSchema(schema, profile)).toMatchObject({ outcome: "published", violations: [] })
      expect(schema).toEqual(before)
      expect(JSON.stringify(publish(schema, { profile }).schema).length).toBeLessThan(600_000)
    },
  )

  it("makes what the vendor takes of any schema, which says of a value what its author's says, or that it does not", () => {
    fc.assert(
      fc.property(anySchema(), fc.array(anyInstance(), { maxLength: 5 }), (author, instances) => {
        const judge = toJudge(author)
        const samples = instances.flatMap((data): Sample[] => {
          const valid = judge(data)
          return valid === undefined ? [] : [{ data, valid }]
        })
        const { violations, disagreements } = checkSchema(author, profile, samples)

        expect([violations, disagreements]).toEqual([[], []])
      }),
      { numRuns: 150 },
    )
  })

  it("makes input that the author takes of arguments that fit, unless it says that something was lost", () => {
    fc.assert(
      fc.property(anySchema(), fc.nat(), (author, seed) => {
        const published = attempt(author, profile)
        fc.pre(published !== undefined)
        if (published === undefined) return
        const [before, after] = [toJudge(author), toJudge(published.schema)]
        for (const args of fc.sample(fitting(published.schema), { numRuns: 5, seed })) {
          if (after(args) !== true) continue
          const input = published.toInput(Object(args))
          if (!isLost(published)) expect(before(input)).not.toBe(false)
        }
      }),
      { numRuns: 150 },
    )
  })
})

/** Nothing where a reference goes round in a circle. */
function attempt(author: Record<string, unknown>, profile: ProfileName): PublishedInput | undefined {
  try {
    return publish(author, { profile })
  } catch (error) {
    if (error instanceof SchemaError && error.code === "dangling_ref") return undefined
    throw error
  }
}
