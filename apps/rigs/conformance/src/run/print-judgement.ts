import type { Judgement, Verdict } from "./judge.js"

/** Prints a run's result in one line, with its faults below. */
export function printJudgement(title: string, { scored, unscored }: Judgement): void {
  const all = [...scored, ...unscored]
  const excused = all.filter((verdict) => passed(verdict) && verdict.excused !== undefined)
  const parts = [`${scored.filter(passed).length}/${scored.length} scored`]
  if (unscored.length > 0) parts.push(`${unscored.filter(passed).length}/${unscored.length} unscored`)
  if (excused.length > 0) parts.push(`${excused.length} of them excused`)
  console.log(`${all.every(passed) ? "✓" : "✗"} ${title}: ${parts.join(", ")}`)
  for (const { scenario, faults } of all) for (const fault of faults) console.log(`    ✗ ${scenario}: ${fault}`)
  for (const [why, verdicts] of byReason(excused)) console.log(`    excused (${why}): ${names(verdicts)}`)
}

/** Returns whether a verdict has no faults. */
export function passed({ faults }: Verdict): boolean {
  return faults.length === 0
}

function byReason(verdicts: readonly Verdict[]): ReadonlyMap<string, readonly Verdict[]> {
  const reasons = new Map<string, Verdict[]>()
  for (const verdict of verdicts)
    reasons.set(verdict.excused ?? "", [...(reasons.get(verdict.excused ?? "") ?? []), verdict])
  return reasons
}

function names(verdicts: readonly Verdict[]): string {
  return verdicts.map(({ scenario }) => scenario).join(", ")
}
