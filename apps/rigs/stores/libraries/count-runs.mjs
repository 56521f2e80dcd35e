import { setTimeout as delay } from "node:timers/promises"

/** Counts the followers of a store that cannot report them, by its number of reads for each change. */
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
