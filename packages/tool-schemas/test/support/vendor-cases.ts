import fc from "fast-check"
import type { Keywords } from "../../src/json-schema.js"
import type { ProfileName } from "../../src/profile-name.js"
import { publish } from "../../src/publish.js"
import { SchemaError } from "../../src/schema-error.js"
import { fitting } from "./fitting.js"
import { toJudge } from "./judge.js"
import { NASTIER_SCHEMAS } from "./nastier-schemas.js"
import { NASTY_SCHEMAS } from "./nasty-schemas.js"
import { REAL_TOOLS } from "./real-tools.js"
import { anySchema } from "./schema.js"
import type { SuiteCase } from "./schema-suite.js"
import { wildSchema } from "./wild-schema.js"

/** A published schema for vendors to inspect. */
export interface Asked {
  readonly name: string
  readonly schema: Keywords
  /** Arguments that it accepts. */
  readonly values: readonly unknown[]
}

/** Publishes some schemas in a profile, without rejected ones. */
export function toAsked(cases: readonly Pick<SuiteCase, "name" | "schema">[], profile: ProfileName): readonly Asked[] {
  return cases.flatMap(({ name, schema: author }): Asked[] => {
    try {
      const { schema } = publish(author, { profile })
      return [{ name, schema, values: valuesOf(schema) }]
    } catch (error) {
      if (error instanceof SchemaError) return []
      throw error
    }
  })
}

function valuesOf(schema: Keywords): readonly unknown[] {
  const judge = toJudge(schema)
  return fc.sample(fitting(schema), { numRuns: 4, seed: 1 }).filter((value) => judge(value) === true)
}

/** Creates our own schemas: in the style of real tools, difficult ones, and a number of generated ones. */
export function ownCases(count: number, seed: number): Readonly<Record<string, readonly SuiteCase[]>> {
  const [plain, wild] = [anySchema(), wildSchema()].map((schema) => fc.sample(schema, { numRuns: count / 2, seed }))
  return {
    "tools of our own": named({ ...REAL_TOOLS, ...NASTY_SCHEMAS, ...NASTIER_SCHEMAS }),
    [`made up (seed ${seed})`]: named(Object.fromEntries([...(plain ?? []), ...(wild ?? [])].entries())),
  }
}

function named(schemas: Readonly<Record<string, SuiteCase["schema"]>>): readonly SuiteCase[] {
  return Object.entries(schemas).map(([name, schema]) => ({ name, schema, draft: "2020-12", tests: [] }))
}
