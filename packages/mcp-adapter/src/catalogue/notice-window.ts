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
  /**
   * When what there is to deliver is due, on the clock; `undefined` where there is nothing. Asked again when the time has
   * come: it may have come to nothing.
   */
  readonly dueAt: () => number | undefined
  /** Delivers it. Must not throw. */
  readonly deliver: () => void
}

/** A window in which nothing has been delivered. */
export function createNoticeWindow({ clock, ledger, window, dueAt, deliver }: NoticeWindowOptions): NoticeWindow {
  let last = Number.NEGATIVE_INFINITY
  let waiting: { readonly until: number; readonly cancel: Cancel } | undefined

  const deliverNow = (): void => {
    last = clock.now()
    deliver()
  }
  const stop = (): void => {
    waiting?.cancel()
    waiting = undefined
  }
  const wait = (until: number): void => {
    const closeTimer = ledger.open("timer")
    const cancel = clock.after(until - clock.now(), () => {
      stop()
      settle()
    })
    waiting = {
      until,
      cancel() {
        cancel()
        closeTimer()
      },
    }
  }
  const settle = (): void => {
    const due = dueAt()
    if (due === undefined) return
    const at = Math.max(due, last + window)
    if (waiting !== undefined && waiting.until <= at) return
    stop()
    if (at <= clock.now()) deliverNow()
    else wait(at)
  }
  return { settle, close: stop }
}
