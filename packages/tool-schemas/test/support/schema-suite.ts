import type { SchemaDraft } from "@cfworker/json-schema"
import fc from "fast-check"
import type { JsonSchema } from "../../src/json-schema.js"
import type { ProfileName } from "../../src/profiles.js"
import { profiles } from "../../src/profiles.js"
import { checkSchema, type Sample } from "./check-schema.js"
import { fitting } from "./fitting.js"
import { type Judge, toJudge } from "./judge.js"

/** A schema to publish in every profile. */
export interface SuiteCase {
  /** What it is called in the output. */
  readonly name: string
  readonly schema: JsonSchema
  readonly draft: SchemaDraft
  /** Values with the verdicts that they should have; where there are none, some that fit are made up. */
  readonly tests: readonly Sample[]
}

/** What came of all schemas in one profile. */
export interface SuiteCounts {
  readonly profile: string
  readonly schemas: number
  readonly published: number
  /** How many were refused, by code. */
  readonly refused: Readonly<Record<string, number>>
  /** How many are published with something in words only. */
  readonly lossy: number
  /** How many values could be compared. */
  readonly compared: number
  /** What is wrong: what a vendor would refuse, and values that changed their verdict. */
  readonly faults: readonly string[]
}

/** Publishes all schemas in every profile, and counts. */
export function checkSuite(cases: readonly SuiteCase[]): readonly SuiteCounts[] {
  const judged = cases.map((one) => ({ ...one, samples: toSamples(one) }))
  return Object.keys(profiles).map((profile) => {
    const found = judged.map(({ name, schema, samples }) => ({
      name,
      ...checkSchema(schema, profile as ProfileName, samples), // the keys of a record of profiles
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

/** Only values of which our validator says of the author's schema what the suite says: it is not what is judged here. */
function toSamples({ schema, draft, tests }: SuiteCase): readonly Sample[] {
  const judge = attempt(schema, draft)
  if (tests.length > 0) return tests.filter(({ data, valid }) => judge(data) === valid)
  return fc.sample(fitting(schema), { numRuns: 20, seed: 1 }).flatMap((data): Sample[] => {
    const valid = judge(data)
    return valid === undefined ? [] : [{ data, valid }]
  })
}

/** Without verdicts where the validator cannot take the schema. */
function attempt(schema: JsonSchema, draft: SchemaDraft): Judge {
  try {
    const judge = toJudge(schema as object | boolean, draft) // cases hold plain JSON
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
