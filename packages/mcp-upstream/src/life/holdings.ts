import type { Holdings } from "../upstream.js"

/** Counts what is open. */
export interface Counted {
  /** @returns Notes it closed; calling it again changes nothing. */
  open(kind: keyof Holdings): () => void
  /** Runs `callback` later, with the timer counted; never keeps a process alive. @returns Takes it back. */
  after(milliseconds: number, callback: () => void): () => void
  /** What is open now. */
  now(): Holdings
}

/** Nothing is open. */
export function createHoldings(): Counted {
  const counts: Record<keyof Holdings, number> = { connections: 0, children: 0, timers: 0, calls: 0 }
  const open = (kind: keyof Holdings): (() => void) => {
    counts[kind] += 1
    let held = true
    return () => {
      if (held) counts[kind] -= 1
      held = false
    }
  }
  return {
    open,
    after(milliseconds, callback) {
      const over = open("timers")
      const timer: unknown = setTimeout(() => {
        over()
        callback()
      }, milliseconds)
      if (typeof timer === "object" && timer !== null && "unref" in timer && typeof timer.unref === "function")
        timer.unref()
      return () => {
        over()
        clearTimeout(timer as ReturnType<typeof setTimeout>) // what `setTimeout` gave
      }
    },
    now: () => ({ ...counts }),
  }
}
