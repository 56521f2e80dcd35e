import { sameValue } from "@x/base"
import { Ajv2020 } from "ajv/dist/2020.js"
import type { JsonSchema } from "../../src/json-schema.js"
import type { ProfileName } from "../../src/profile-name.js"
import { type PublishedInput, publish } from "../../src/publish.js"
import { SchemaError } from "../../src/schema-error.js"
import { toJudge } from "./judge.js"
import { codeProblems } from "./vendor-code.js"
import { violations } from "./violations.js"

/** A value and the author's verdict. */
export interface Sample {
  readonly data: unknown
  readonly valid: boolean
}

/** Findings about one schema, published for one profile. */
export interface SchemaFindings {
  /** `published`, or its rejection's code. */
  readonly outcome: string
  /** Objections of the profile's vendors, by the documented rules and the vendors' own code. */
  readonly violations: readonly string[]
  /** Samples with another verdict for the published schema, although nothing was reported as lost. */
  readonly disagreements: readonly string[]
  /** The number of compared samples: those whose arguments equal the input. */
  readonly compared: number
  /** Whether a loss was reported. */
  readonly lost: boolean
}

/** Publishes a schema and collects faults of the result. Only a rejection may be thrown. */
export function checkSchema(schema: JsonSchema, profile: ProfileName, samples: readonly Sample[] = []): SchemaFindings {
  try {
    return compare(publish(schema, { profile }), profile, samples)
  } catch (error) {
    if (!(error instanceof SchemaError)) throw error
    return { outcome: error.code, violations: [], disagreements: [], compared: 0, lost: false }
  }
}

/** Checks whether the published schema is reported to accept more than the author's. */
export function isLost({ changes }: PublishedInput): boolean {
  return changes.some(({ how }) => how !== "rewritten")
}

/** Created once, because it compiles the meta-schema. */
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

/** Returns the arguments of an input, if the profile keeps values unchanged; else `undefined`. */
function toArguments({ wrapped, toInput, changes }: PublishedInput, profile: ProfileName, data: unknown): unknown {
  if (profile === "openai-strict" || profile === "gemini") return undefined
  if (changes.some(({ keyword }) => keyword.startsWith("properties/"))) return undefined
  const args = wrapped === undefined ? data : { [wrapped]: data }
  if (typeof args !== "object" || args === null || Array.isArray(args)) return undefined
  return sameValue(toInput({ ...args }), data) ? args : undefined
}
