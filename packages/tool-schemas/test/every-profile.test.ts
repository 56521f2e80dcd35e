import fc from "fast-check"
import { describe, expect, it, vi } from "vitest"
import { type ProfileName, profileNames } from "../src/profile-name.js"
import { type PublishedInput, publish } from "../src/publish.js"
import { SchemaError } from "../src/schema-error.js"
import { checkSchema, isLost, type Sample } from "./support/check-schema.js"
import { fitting } from "./support/fitting.js"
import { toJudge } from "./support/judge.js"
import { NASTIER_SCHEMAS } from "./support/nastier-schemas.js"
import { NASTY_SCHEMAS } from "./support/nasty-schemas.js"
import { REAL_TOOLS } from "./support/real-tools.js"
import { anyInstance, anySchema } from "./support/schema.js"

// The reference validators take time on a busy machine.
vi.setConfig({ testTimeout: 120_000 })

describe.each(profileNames)("publish for %s", (profile) => {
  it.each(Object.entries(REAL_TOOLS))("publishes a tool of %s for the vendor", (_, schema) => {
    expect(checkSchema(schema, profile)).toMatchObject({ outcome: "published", violations: [] })
  })

  it.each(Object.entries({ ...NASTY_SCHEMAS, ...NASTIER_SCHEMAS }))("publishes %s for the vendor", (_, schema) => {
    const before = structuredClone(schema)

    expect(checkSchema(schema, profile)).toMatchObject({ outcome: "published", violations: [] })
    expect(schema).toEqual(before)
    expect(JSON.stringify(publish(schema, { profile }).schema).length).toBeLessThan(600_000)
  })

  it("publishes any schema for the vendor, with its author's verdicts or a reported loss", () => {
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

  it("converts fitting arguments to input that the author accepts, unless it reports a loss", () => {
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

/** Returns `undefined` for a cyclic reference. */
function attempt(author: Record<string, unknown>, profile: ProfileName): PublishedInput | undefined {
  try {
    return publish(author, { profile })
  } catch (error) {
    if (error instanceof SchemaError && error.code === "dangling_ref") return undefined
    throw error
  }
}
