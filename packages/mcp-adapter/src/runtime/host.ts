import type { Cancel, Clock } from "./clock.js"
import type { Report } from "./diagnostic.js"
import type { Ledger } from "./ledger.js"

/** What everything live in an adapter stands on; handed on whole. */
export interface Host {
  /** Time and the end of a task. */
  readonly clock: Clock
  /** Counts what is held open. */
  readonly ledger: Ledger
  /** Takes what an operator should know. */
  readonly report: Report
}

/** Runs `callback` after at least `milliseconds`, with the timer in the ledger until it has run or is taken back. */
export function startTimer(
  { clock, ledger }: Pick<Host, "clock" | "ledger">,
  milliseconds: number,
  callback: () => void,
): Cancel {
  const over = ledger.open("timer")
  const cancel = clock.after(milliseconds, () => {
    over()
    callback()
  })
  return () => {
    over()
    cancel()
  }
}
