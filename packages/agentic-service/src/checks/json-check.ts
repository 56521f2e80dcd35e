import { isRecord } from "@x/tool-schemas/json"
import { type JsonSchema, type NormalisedSchema, normaliseSchema } from "@x/tool-schemas/normalise"
import type { Checked } from "../service.js"
import { evaluate, type Rule } from "./evaluation.js"
import { memberRules } from "./member-rules.js"
import { createHostPatterns, createPatterns, type Matches } from "./pattern.js"
import { valueRules } from "./value-rules.js"

/**
 * Checks against JSON Schema (2020-12, and older dialects as 2020-12 says it) without compiling code, so that it works under a
 * page's content security policy. Fills nothing in, tolerates formats and keywords it does not know, and stops at twenty issues.
 * A schema that cannot be followed fails every value, and so does a value that takes too long. Answers at once, but where an
 * engine for patterns has to be loaded first.
 */
export function createJsonCheck(schema: JsonSchema): (value: unknown) => Checked | Promise<Checked> {
  let prepared: { readonly schema: NormalisedSchema; readonly closes: boolean } | undefined
  let matches: Matches | Promise<Matches> | undefined
  return (value) => {
    try {
      prepared ??= prepare(schema)
      const { schema: normalised, closes } = prepared
      matches ??= createPatterns(normalised)
      const run = (ready: Matches): Checked => check({ ...normalised, closes, matches: ready }, value)
      if (typeof matches === "function") return run(matches)
      return matches.then(
        (ready) => {
          matches = ready
          return run(ready)
        },
        (thrown) => {
          // Perhaps there is a network at the next call.
          matches = undefined
          return refuse(thrown)
        },
      )
    } catch (thrown) {
      return refuse(thrown)
    }
  }
}

/**
 * Checks one value against JSON Schema (2020-12), without compiling code. Fills nothing in; never rejects.
 *
 * @example
 * ```ts
 * import { checkJson } from "@x/agentic-service/adapter"
 *
 * console.log(await checkJson({ type: "string" }, 1))
 * // { ok: false, issues: [ { path: [], message: 'found "number", expected "string"' } ] }
 * ```
 */
export async function checkJson(schema: JsonSchema, value: unknown): Promise<Checked> {
  return createJsonCheck(schema)(value)
}

/**
 * Checks one value at once, with the host's own engine for patterns: for values that come from where the schema comes from, or from
 * the person at this machine. Texts of more than 256 characters match no pattern. Never throws.
 */
export function checkTrustedJson(schema: JsonSchema, value: unknown): Checked {
  try {
    const { schema: normalised, closes } = prepare(schema)
    return check({ ...normalised, closes, matches: createHostPatterns(normalised) }, value)
  } catch (thrown) {
    return refuse(thrown)
  }
}

function prepare(schema: JsonSchema): { readonly schema: NormalisedSchema; readonly closes: boolean } {
  const normalised = normaliseSchema(schema)
  return { schema: normalised, closes: closes(normalised) }
}

interface Prepared extends NormalisedSchema {
  readonly closes: boolean
  readonly matches: Matches
}

function check(prepared: Prepared, value: unknown): Checked {
  try {
    const issues = evaluate({ ...prepared, rules, steps: MAX_STEPS }, value, maxIssues)
    return issues.length === 0 ? { ok: true, input: value } : { ok: false, issues }
  } catch (thrown) {
    return refuse(thrown)
  }
}

/** Turns what a check threw into a failed one: a reference to nowhere, what takes too long or goes too deep. */
export function refuse(thrown: unknown): Checked {
  const message = `cannot be checked: ${String(thrown instanceof Error ? thrown.message : thrown).split("\n")[0]}`
  return { ok: false, issues: [{ path: [], message }] }
}

/** More than anybody can act on at once. */
export const maxIssues = 20

const rules: ReadonlyMap<string, Rule> = new Map([...memberRules, ...valueRules])

/** How long a check may take: schemas met with values, and what is compared. */
const MAX_STEPS = 4_000_000

/** Whether something in a schema closes over all that the rest of it says. */
function closes(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.some(closes)
  if (!isRecord(schema)) return false
  if (schema["unevaluatedProperties"] !== undefined || schema["unevaluatedItems"] !== undefined) return true
  return Object.values(schema).some((value) => typeof value === "object" && closes(value))
}
