import type { Clock } from "./host.js"

/** A clock that a test advances by hand. */
export interface ManualClock extends Clock {
  /** Ends the current task: runs the pending callbacks, and those that they add. */
  endTask(): void
  /** Advances the time. Due timers run in order, each in its own task. */
  advance(milliseconds: number): void
  /** Returns the number of pending timers. */
  waiting(): number
}

/** Creates a clock at time 0. */
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
