import type { Cancel, Clock } from "../runtime/clock.js"
import type { Report } from "../runtime/diagnostic.js"

/** Decides when what was emitted is taken in: when somebody reads, and at the end of the task at the latest. */
export interface Intake {
  /** Notes an emission. */
  readonly emitted: () => void
  /** Takes in what was emitted. Within itself it does nothing: a source that reads us while we read it gets what we have. */
  flush(): void
  /** Takes nothing in any more. */
  close(): void
}

/** What an intake needs. */
export interface IntakeOptions {
  /** Settles at the end of the task. */
  readonly clock: Clock
  /** Told when taking in throws. */
  readonly report: Report
  /** Takes in. */
  readonly takeIn: () => void
  /** Called at the end of each task in which something was emitted, after the last take-in. */
  readonly onSettled: () => void
}

/** Nothing emitted yet. */
export function createIntake({ clock, report, takeIn, onSettled }: IntakeOptions): Intake {
  let cancel: Cancel | undefined
  let flushing = false
  let closed = false

  const flush = (): void => {
    if (flushing || closed) return
    flushing = true
    try {
      takeIn()
    } catch (cause) {
      const message = "a change could not be taken in; what was known before is served"
      report({ code: "source_failed", message, cause })
    } finally {
      flushing = false
    }
  }
  const settle = (): void => {
    cancel = undefined
    flush()
    onSettled()
  }
  return {
    emitted() {
      if (!closed) cancel ??= clock.settle(settle)
    },
    flush,
    close() {
      closed = true
      cancel?.()
    },
  }
}
