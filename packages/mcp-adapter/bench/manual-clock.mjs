/** A clock whose tasks end on command, so that benchmarks measure our work and not the host's event loop. */
export function createManualClock() {
  const tasks = new Set()
  return {
    now: () => performance.now(),
    settle(callback) {
      tasks.add(callback)
      return () => tasks.delete(callback)
    },
    after: () => () => undefined,
    endTask() {
      for (const task of tasks) {
        tasks.delete(task)
        task()
      }
    },
  }
}
