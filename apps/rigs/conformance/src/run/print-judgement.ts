import type { Judgement, Verdict } from "./judge.js"

/** Prints what came of a run: a line, and what is wrong below it. */
export function printJudgement(title: string, { scored, unscored }: Judgement): void {
  const excused = scored.filter((verdict) => passed(verdict) && verdict.excused !== undefined)
  const parts = [`${scored.filter(passed).length}/${scored.length} scored`]
  if (excused.length > 0) parts.push(`${excused.length} of them excused`)
  if (unscored.length > 0) parts.push(`${unscored.filter(passed).length}/${unscored.length} unscored`)
  console.log(`${scored.every(passed) ? "✓" : "✗"} ${title}: ${parts.join(", ")}`)
  for (const { scenario, faults } of scored) for (const fault of faults) console.log(`    ✗ ${scenario}: ${fault}`)
  for (const [why, verdicts] of byReason(excused)) console.log(`    excused (${why}): ${names(verdicts)}`)
  const failed = unscored.filter((verdict) => !passed(verdict))
  if (failed.length > 0) console.log(`    not scored, and failed: ${names(failed)}`)
}

/** Whether nothing is wrong. */
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
