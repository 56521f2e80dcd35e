import type { Check } from "./checks.js"
import type { Exception } from "./exceptions.js"

/** What is to be judged. */
export interface Evidence {
  /** What each scenario reported. */
  readonly checks: ReadonlyMap<string, readonly Check[]>
  /** The scenarios that count. */
  readonly scored: readonly string[]
  /** The checks that may fail. */
  readonly exceptions: readonly Exception[]
}

/** What came of one scenario. */
export interface Verdict {
  /** Its name. */
  readonly scenario: string
  /** What is wrong; nothing where it passed. */
  readonly faults: readonly string[]
  /** Why a check that failed is no fault. */
  readonly excused?: string
}

/** What came of a run. */
export interface Judgement {
  /** The scenarios that count. */
  readonly scored: readonly Verdict[]
  /** The others. */
  readonly unscored: readonly Verdict[]
}

/**
 * Judges a run by its checks and not by what it prints: a warning is a fault, a scenario that did not run or has nothing to
 * show for itself is a fault (a dead server "passes" some), and an exception that is not needed is a fault.
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

/** Check ids with what was wrong. */
function failedIn(checks: readonly Check[] | undefined): ReadonlyMap<string, string> {
  if (checks === undefined) return new Map([["run", "the scenario did not run"]])
  const failed = checks.filter(({ status }) => status === "FAILURE" || status === "WARNING")
  if (failed.length > 0) return new Map(failed.map(({ id, errorMessage = "no reason given" }) => [id, errorMessage]))
  return checks.some(isProof) ? new Map() : new Map([["proof", "no check succeeded"]])
}

/** Every scenario gets this one for free. */
function isProof({ id, status }: Check): boolean {
  return status === "SUCCESS" && id !== "wire-schema-valid"
}
