import type { Clock } from "../../runtime/clock.js"

/** Resolves once the current task, and what settles with it, has ended. */
export function settled(clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    clock.settle(resolve)
  })
}
