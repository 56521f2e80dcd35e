import { Ajv2020 } from "ajv/dist/2020.js"
import { sameValue } from "../../src/json/same-value.js"
import type { JsonSchema } from "../../src/json-schema.js"
import type { ProfileName } from "../../src/profiles.js"
import { type PublishedInput, publish } from "../../src/publish.js"
import { SchemaError } from "../../src/schema-error.js"
import { toJudge } from "./judge.js"
import { codeProblems } from "./vendor-code.js"
import { violations } from "./violations.js"

/** A value, and whether the author's schema takes it. */
export interface Sample {
  readonly data: unknown
  readonly valid: boolean
}

/** What was found when one schema was published for one profile. */
export interface SchemaFindings {
  /** `published`, or the code it was refused with. */
  readonly outcome: string
  /** What the profile's vendors would refuse, by the rules it was written from and by the vendors' own code. */
  readonly violations: readonly string[]
  /** Samples of which what is published says otherwise, though the report says that nothing was lost. */
  readonly disagreements: readonly string[]
  /** How many samples could be compared: those whose arguments are the input as it is. */
  readonly compared: number
  /** Whether the report says that something was lost. */
  readonly lost: boolean
}

/** Publishes a schema and looks for what is wrong with the outcome: whatever the schema, nothing but a refusal is thrown. */
export function checkSchema(schema: JsonSchema, profile: ProfileName, samples: readonly Sample[] = []): SchemaFindings {
  try {
    return compare(publish(schema, { profile }), profile, samples)
  } catch (error) {
    if (!(error instanceof SchemaError)) throw error
    return { outcome: error.code, violations: [], disagreements: [], compared: 0, lost: false }
  }
}

/** Whether the report says that what is published takes more than the author does. */
export function isLost({ changes }: PublishedInput): boolean {
  return changes.some(({ how }) => how !== "rewritten")
}

/** Made once: it compiles the meta-schema. */
const ajv = new Ajv2020()

function compare(published: PublishedInput, profile: ProfileName, samples: readonly Sample[]): SchemaFindings {
  const isMeta = ajv.validateSchema(published.schema) === true
  const lost = isLost(published)
  const judge = samples.length > 0 ? toJudge(published.schema) : () => undefined
  const verdicts = samples.flatMap(({ data, valid }) => {
    const args = toArguments(published, profile, data)
    const after = args && judge(args)
    return after === undefined ? [] : [{ data, valid, after }]
  })
  return {
    outcome: "published",
    violations: [
      ...violations(profile, published.schema),
      ...codeProblems(profile, published.schema),
      ...(isMeta ? [] : [`not 2020-12: ${ajv.errorsText()}`]),
    ],
    disagreements: verdicts
      .filter(({ valid, after }) => (valid ? !after : after && !lost))
      .map(({ data, valid }) => `${JSON.stringify(data)} is ${valid ? "refused" : "taken"}`),
    compared: verdicts.length,
    lost,
  }
}

/** The arguments that stand for an input, where a profile leaves values their shape; else `undefined`. */
function toArguments({ wrapped, toInput, changes }: PublishedInput, profile: ProfileName, data: unknown): unknown {
  if (profile === "openai-strict" || profile === "gemini") return undefined
  if (changes.some(({ keyword }) => keyword.startsWith("properties/"))) return undefined
  const args = wrapped === undefined ? data : { [wrapped]: data }
  if (typeof args !== "object" || args === null || Array.isArray(args)) return undefined
  return sameValue(toInput({ ...args }), data) ? args : undefined
}
