// A run is everything between two turns of the microtask queue: an emission within an emission is always in one.
let runs = 0
let running = false
const later = new Set<() => void>()

/** Does something once at the end of this run, however often requested, or immediately when sources are settled. */
export function atEndOfRun(act: () => void): void {
  later.add(act)
  currentRun()
}

/** Cancels a request. */
export function cancelAtEndOfRun(act: () => void): void {
  later.delete(act)
}

/** Returns a number that is different in each run. */
export function currentRun(): number {
  if (!running) {
    running = true
    queueMicrotask(() => {
      running = false
      runs += 1
      settleSources()
    })
  }
  return runs
}

/** Reads every source again that may be out of date, immediately instead of at the end of the run. */
export function settleSources(): void {
  for (const look of [...later]) if (later.delete(look)) look()
}
