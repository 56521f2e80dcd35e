import fc from "fast-check"
import { describe, expect, it, vi } from "vitest"
import { profileNames } from "../src/profile-name.js"
import { checkSchema } from "./support/check-schema.js"
import { wildSchema } from "./support/wild-schema.js"

// The reference validators take time on a busy machine.
vi.setConfig({ testTimeout: 240_000 })

describe("publish", () => {
  it.each(profileNames)(
    "publishes any schema for %s by the vendors' rules and code, or rejects it with a reason",
    (profile) => {
      const outcomes = new Map<string, number>()
      fc.assert(
        fc.property(wildSchema(), (author) => {
          const { outcome, violations } = checkSchema(author, profile)
          outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)

          expect(violations).toEqual([])
        }),
        { numRuns: 2_000 },
      )
      expect(outcomes.get("published")).toBeGreaterThan(1_000)
    },
  )
})
