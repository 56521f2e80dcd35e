import type { Check } from "./checks.js"
import type { Exception } from "./exceptions.js"

/** The input of `judge`. */
export interface Evidence {
  /** The reported checks, by scenario. */
  readonly checks: ReadonlyMap<string, readonly Check[]>
  /** The scenarios that count. */
  readonly scored: readonly string[]
  /** The checks that may fail. */
  readonly exceptions: readonly Exception[]
}

/** The result of one scenario. */
export interface Verdict {
  /** Its name. */
  readonly scenario: string
  /** The faults; empty for a pass. */
  readonly faults: readonly string[]
  /** Why a check that failed is no fault. */
  readonly excused?: string
}

/** The results of a run. */
export interface Judgement {
  /** The scenarios that count. */
  readonly scored: readonly Verdict[]
  /** The others. */
  readonly unscored: readonly Verdict[]
}

/**
 * Judges a run by its checks, not by its printed summary. Faults are: warnings, scenarios that did not run, scenarios without a
 * successful check (a dead server "passes" some), and exceptions that are no longer needed.
 */
export function judge({ checks, scored, exceptions }: Evidence): Judgement {
  const verdictOn = (scenario: string): Verdict => {
    const exception = exceptions.find((one) => one.scenario === scenario)
    const failed = failedIn(checks.get(scenario))
    const excused = exception?.checks === "all" ? [...failed.keys()] : (exception?.checks ?? [])
    const stale = excused.filter((id) => !failed.has(id)).map((id) => `${id}: excused, but it did not fail`)
    if (exception !== undefined && failed.size === 0 && stale.length === 0) stale.push("excused, but nothing failed")
    const faults = [...failed].filter(([id]) => !excused.includes(id)).map(([id, what]) => `${id}: ${what}`)
    return { scenario, faults: [...faults, ...stale], ...(exception && { excused: exception.why }) }
  }
  const others = [...checks.keys()].filter((scenario) => !scored.includes(scenario))
  return { scored: scored.map(verdictOn), unscored: others.map(verdictOn) }
}

/** Returns the messages of the failed checks, by check id. */
export function failedIn(checks: readonly Check[] | undefined): ReadonlyMap<string, string> {
  if (checks === undefined) return new Map([["run", "the scenario did not run"]])
  const failed = checks.filter(({ status }) => status === "FAILURE" || status === "WARNING")
  if (failed.length > 0) return new Map(failed.map(({ id, errorMessage = "no reason given" }) => [id, errorMessage]))
  return checks.some(isProof) ? new Map() : new Map([["proof", "no check succeeded"]])
}

/** Returns whether a check proves anything. Every scenario passes `wire-schema-valid`, even with a dead server. */
function isProof({ id, status }: Check): boolean {
  return status === "SUCCESS" && id !== "wire-schema-valid"
}
