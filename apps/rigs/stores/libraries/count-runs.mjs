import { setTimeout as delay } from "node:timers/promises"

/** Counts who follows a store that tells nobody: how often it is read when something changes. */
export function countRuns(change) {
  let runs = 0
  return {
    count() {
      runs += 1
    },
    async perChange() {
      await delay(100)
      const before = runs
      await change()
      await delay(100)
      return runs - before
    },
  }
}
