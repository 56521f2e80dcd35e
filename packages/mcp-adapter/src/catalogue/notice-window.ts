import type { Cancel, Clock } from "../runtime/clock.js"
import type { Ledger } from "../runtime/ledger.js"

/** Spaces notices of one kind: the first at once, the next no sooner than the window allows, the last always. */
export interface NoticeWindow {
  /** Delivers what is due now, or as soon as the window allows. */
  settle(): void
  /** Ends the wait; nothing is delivered any more. */
  close(): void
}

/** What a window needs. */
export interface NoticeWindowOptions {
  /** Time. */
  readonly clock: Clock
  /** Counts the timer. */
  readonly ledger: Ledger
  /** The least time between two notices, in milliseconds. */
  readonly window: number
  /** Whether there is something to deliver. Asked again when the time has come: it may have come to nothing. */
  readonly due: () => boolean
  /** Delivers it. Must not throw. */
  readonly deliver: () => void
}

/** A window in which nothing has been delivered. */
export function createNoticeWindow({ clock, ledger, window, due, deliver }: NoticeWindowOptions): NoticeWindow {
  let last = Number.NEGATIVE_INFINITY
  let cancel: Cancel | undefined

  const deliverNow = (): void => {
    last = clock.now()
    deliver()
  }
  const wait = (milliseconds: number): void => {
    const closeTimer = ledger.open("timer")
    const stop = clock.after(milliseconds, () => {
      cancel = undefined
      closeTimer()
      if (due()) deliverNow()
    })
    cancel = () => {
      stop()
      closeTimer()
    }
  }
  return {
    settle() {
      if (cancel !== undefined || !due()) return
      const remaining = last + window - clock.now()
      if (remaining <= 0) deliverNow()
      else wait(remaining)
    },
    close() {
      cancel?.()
      cancel = undefined
    },
  }
}
