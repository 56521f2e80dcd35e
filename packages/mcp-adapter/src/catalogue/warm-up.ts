import type { Path } from "../names/path.js"
import type { Clock } from "../runtime/clock.js"
import type { Report } from "../runtime/diagnostic.js"
import type { Ledger } from "../runtime/ledger.js"
import type { CatalogueLimits } from "./catalogue-limits.js"

/** The bounded wait, at the start, for maps that have not spoken. */
export interface WarmUp {
  /** Resolves once every map has spoken, or the wait is over. */
  readonly done: Promise<void>
  /** Looks again whether somebody is silent still. */
  check(): void
  /** Ends the wait. */
  close(): void
}

/** What a warm-up needs. */
export interface WarmUpOptions {
  /** Time. */
  readonly clock: Clock
  /** Counts the timer. */
  readonly ledger: Ledger
  /** Told who is silent when the wait is over. */
  readonly report: Report
  /** How long to wait. */
  readonly limits: CatalogueLimits
  /** The maps that have not spoken, with the service each belongs to. */
  readonly silent: () => Iterable<{ readonly path: Path; readonly map: string }>
}

/** Starts the wait. */
export function createWarmUp({ clock, ledger, report, limits, silent }: WarmUpOptions): WarmUp {
  let resolve: (() => void) | undefined
  const done = new Promise<void>((settle) => {
    resolve = settle
  })
  const closeTimer = ledger.open("timer")
  const finish = (): void => {
    cancel()
    closeTimer()
    resolve?.()
    resolve = undefined
  }
  const cancel = clock.after(limits.readyWait, () => {
    for (const { path, map } of silent()) {
      report({
        code: "waiting",
        message: `${map} have not emitted within ${limits.readyWait} ms; the rest is served without them`,
        path,
      })
    }
    finish()
  })
  return {
    done,
    check() {
      if (resolve === undefined) return
      for (const _ of silent()) return
      finish()
    },
    close: finish,
  }
}
