import { ListToolsResultSchema } from "@modelcontextprotocol/sdk/types.js"
import fc from "fast-check"
import { toStrictJsonSchema } from "openai/lib/transform"
import { describe, expect, it } from "vitest"
import { NASTIER_SCHEMAS } from "./support/nastier-schemas.js"
import { NASTY_SCHEMAS } from "./support/nasty-schemas.js"
import { REAL_TOOLS } from "./support/real-tools.js"
import { toAsked } from "./support/vendor-cases.js"
import { wildSchema } from "./support/wild-schema.js"

/** A sample of the cases that `pnpm rig schemas` passes to all programs. */
const CASES = [
  ...Object.entries({ ...REAL_TOOLS, ...NASTY_SCHEMAS, ...NASTIER_SCHEMAS }),
  ...fc.sample(wildSchema(), { numRuns: 150, seed: 7 }).entries(),
].map(([name, schema]) => ({ name: String(name), schema }))

describe("publish", () => {
  it("publishes openai-strict schemas that OpenAI's own SDK leaves unchanged", () => {
    for (const { name, schema } of toAsked(CASES, "openai-strict")) {
      const given = JSON.parse(JSON.stringify(schema))

      expect({ name, made: JSON.parse(JSON.stringify(toStrictJsonSchema(given))) }).toEqual({ name, made: given })
    }
  })

  it.each(["portable", "anthropic", "openai", "openai-strict", "gemini"] as const)(
    "makes for %s what the types of SDK v1 read as it is",
    (profile) => {
      const tools = toAsked(CASES, profile).map(({ name, schema }) => ({ name, inputSchema: { ...schema } }))
      const given = JSON.parse(JSON.stringify({ tools }))

      expect(ListToolsResultSchema.parse(given)).toEqual(given)
    },
  )
})
