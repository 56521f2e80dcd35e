import type { Clock } from "./host.js"

/** A clock that a test moves by hand. */
export interface ManualClock extends Clock {
  /** Ends the current task: runs what was to settle, and what that brings about. */
  endTask(): void
  /** Lets time pass; timers that come due run in order, each as a task of its own. */
  advance(milliseconds: number): void
  /** How many timers are waiting. */
  waiting(): number
}

/** A clock at time 0. */
export function createManualClock(): ManualClock {
  const tasks = new Set<() => void>()
  const timers = new Map<() => void, number>()
  let time = 0
  const clock: ManualClock = {
    now: () => time,
    settle(callback) {
      const task = (): void => callback()
      tasks.add(task)
      return () => tasks.delete(task)
    },
    after(milliseconds, callback) {
      const timer = (): void => callback()
      timers.set(timer, time + milliseconds)
      return () => timers.delete(timer)
    },
    endTask() {
      for (const task of tasks) {
        tasks.delete(task)
        task()
      }
    },
    advance(milliseconds) {
      const end = time + milliseconds
      clock.endTask()
      for (let next = earliest(timers, end); next !== undefined; next = earliest(timers, end)) {
        time = timers.get(next) ?? time
        timers.delete(next)
        next()
        clock.endTask()
      }
      time = end
    },
    waiting: () => timers.size,
  }
  return clock
}

function earliest(timers: ReadonlyMap<() => void, number>, end: number): (() => void) | undefined {
  let found: (() => void) | undefined
  for (const [timer, at] of timers) {
    if (at <= end && (found === undefined || at < (timers.get(found) ?? 0))) found = timer
  }
  return found
}
