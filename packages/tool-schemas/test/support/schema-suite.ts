import type { SchemaDraft } from "@cfworker/json-schema"
import fc from "fast-check"
import type { JsonSchema } from "../../src/json-schema.js"
import { profileNames } from "../../src/profile-name.js"
import { checkSchema, type Sample } from "./check-schema.js"
import { fitting } from "./fitting.js"
import { type Judge, toJudge } from "./judge.js"

/** A schema to publish in every profile. */
export interface SuiteCase {
  /** Its name in the output. */
  readonly name: string
  readonly schema: JsonSchema
  readonly draft: SchemaDraft
  /** Values with their expected verdicts. Without any, fitting ones are generated. */
  readonly tests: readonly Sample[]
}

/** The results of all schemas in one profile. */
export interface SuiteCounts {
  readonly profile: string
  readonly schemas: number
  readonly published: number
  /** The number of rejections, by code. */
  readonly refused: Readonly<Record<string, number>>
  /** The number of schemas with described parts. */
  readonly lossy: number
  /** The number of compared values. */
  readonly compared: number
  /** Faults: vendors' objections, and values with a changed verdict. */
  readonly faults: readonly string[]
}

/** Publishes all schemas in every profile, and counts the results. */
export function checkSuite(cases: readonly SuiteCase[]): readonly SuiteCounts[] {
  const judged = cases.map((one) => ({ ...one, samples: toSamples(one) }))
  return profileNames.map((profile) => {
    const found = judged.map(({ name, schema, samples }) => ({
      name,
      ...checkSchema(schema, profile, samples),
    }))
    const refused = found.map(({ outcome }) => outcome).filter((outcome) => outcome !== "published")
    return {
      profile,
      schemas: cases.length,
      published: found.length - refused.length,
      refused: Object.fromEntries([...new Set(refused)].map((code) => [code, count(refused, code)])),
      lossy: found.filter(({ lost }) => lost).length,
      compared: found.reduce((sum, { compared }) => sum + compared, 0),
      faults: found.flatMap(({ name, violations, disagreements }) =>
        [...violations, ...disagreements].map((fault) => `${name}: ${fault}`),
      ),
    }
  })
}

/**
 * Returns only values on which our validator agrees with the suite about the author's schema, because the validator is not
 * under test.
 */
function toSamples({ schema, draft, tests }: SuiteCase): readonly Sample[] {
  const judge = attempt(schema, draft)
  if (tests.length > 0) return tests.filter(({ data, valid }) => judge(data) === valid)
  return fc.sample(fitting(schema), { numRuns: 20, seed: 1 }).flatMap((data): Sample[] => {
    const valid = judge(data)
    return valid === undefined ? [] : [{ data, valid }]
  })
}

/** Returns a judge without verdicts if the validator cannot handle the schema. */
function attempt(schema: JsonSchema, draft: SchemaDraft): Judge {
  try {
    const judge = toJudge(schema as object | boolean, draft) // cases contain plain JSON
    return (data) => {
      try {
        return judge(data)
      } catch {
        return undefined
      }
    }
  } catch {
    return () => undefined
  }
}

function count(all: readonly string[], one: string): number {
  return all.filter((each) => each === one).length
}
