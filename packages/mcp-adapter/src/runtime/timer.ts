import type { Cancel, Clock } from "./clock.js"
import type { Ledger } from "./ledger.js"

/** Who has the time, and who keeps count of it. */
export interface TimerHost {
  /** Where the timer is noted. */
  readonly ledger: Ledger
  /** Whose time it is. */
  readonly clock: Clock
}

/** Runs `callback` after at least `milliseconds`, with the timer in the ledger until it has run or is taken back. */
export function timerIn(host: TimerHost, milliseconds: number, callback: () => void): Cancel {
  const { ledger, clock } = host
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

/** Runs `callback` at the first call only. */
export function once(callback: () => void): () => void {
  let done = false
  return () => {
    if (done) return
    done = true
    callback()
  }
}
