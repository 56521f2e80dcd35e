import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { Era } from "../../../../packages/mcp-adapter/test/support/clients.js"
import { play, type WayName } from "./play.js"
import { lives } from "./steps.js"

// Between any two steps of a call, names stay while things change. Only the test knows the truth: each document's identity, what
// each person was shown, and what the application wrote down.

const RUNS = Number(process.env["IDENTITY_RUNS"] ?? 6)
/** Ways that take longer: the processes of stdio start anew for every life. */
const SLOW: Partial<Record<WayName, number>> = { stdio: 3, gateway: 2 }
/** Time after which a way begins no further life. It also bounds the search for a smaller counterexample. */
const BEGINS_MS = 600_000
/** Only for a life that would never end. */
const A_LIFE_MS = 300_000
const ways: readonly WayName[] = ["http", "in-memory", "stdio", "page", "gateway"]
const eras: readonly Era[] = ["legacy", "modern"]

describe.each(ways.flatMap((way) => eras.map((era) => ({ way, era }))))(
  "names that stay while things change, over $way in the $era era",
  ({ way, era }) => {
    const numRuns = Math.ceil(RUNS / (SLOW[way] ?? 1))
    it(
      "run only what was meant, ask once where nothing was replaced, and tell each difference once",
      async () => {
        const end = performance.now() + BEGINS_MS
        await fc.assert(
          fc.asyncProperty(lives, async (life) => {
            if (performance.now() < end) expect(await play(way, era, life)).toEqual([])
          }),
          { numRuns },
        )
      },
      BEGINS_MS + A_LIFE_MS,
    )
  },
)
