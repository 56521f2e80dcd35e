// A run is what happens between two turns of the queue of microtasks: an emission within an emission is always in one.
let runs = 0
let running = false
const later = new Set<() => void>()

/** Does something at the end of this run, once, however often it is asked for; at once where somebody settles the sources. */
export function atEndOfRun(act: () => void): void {
  later.add(act)
  currentRun()
}

/** Takes back what was to be done. */
export function forget(act: () => void): void {
  later.delete(act)
}

/** A number that is another one in each run. */
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

/** Looks again at once at every source that may not have told the truth last. Otherwise that is done at the end of the run. */
export function settleSources(): void {
  for (const look of [...later]) if (later.delete(look)) look()
}
