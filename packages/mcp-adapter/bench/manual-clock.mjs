/** A clock whose tasks end when the benchmark says so: what is measured is our work, not the host's event loop. */
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
