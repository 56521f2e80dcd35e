import fc from "fast-check"
import { describe, expect, it, vi } from "vitest"
import type { ProfileName } from "../src/profiles.js"
import { checkSchema } from "./support/check-schema.js"
import { wildSchema } from "./support/wild-schema.js"

// Publishing is quick; the validators that judge it take their time on a busy machine.
vi.setConfig({ testTimeout: 240_000 })

const PROFILES: readonly ProfileName[] = ["portable", "anthropic", "openai", "openai-strict", "gemini", "verbatim"]

describe("publish", () => {
  it.each(PROFILES)(
    "makes for %s what rules and code of the vendors take, or refuses with a reason, whatever it is given",
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
