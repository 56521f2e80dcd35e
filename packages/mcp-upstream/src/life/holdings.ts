import { unref } from "@x/base"
import type { Holdings } from "../upstream.js"

/** Counts what is open. */
export interface Counted {
  /** Counts one more. @returns A function that counts it closed; idempotent. */
  open(kind: keyof Holdings): () => void
  /** Runs `callback` after a counted timer that never keeps the process alive. @returns A function that cancels it. */
  after(milliseconds: number, callback: () => void): () => void
  /** Returns the current counts. */
  now(): Holdings
}

/** Creates the counters, all zero. */
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
      unref(timer)
      return () => {
        over()
        clearTimeout(timer as ReturnType<typeof setTimeout>) // the value that `setTimeout` returned
      }
    },
    now: () => ({ ...counts }),
  }
}
