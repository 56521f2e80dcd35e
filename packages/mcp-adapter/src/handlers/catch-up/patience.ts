import type { ToolEntry } from "../../catalogue/entry.js"

/** Learns for which actions it is worth to wait until their changes are there. */
export interface Patience {
  /** Whether to wait for the changes of an action that shows none yet. */
  for(entry: ToolEntry): boolean
  /** Learns from one call: its changes were there at once, came while it waited, or did not come. */
  learn(entry: ToolEntry, came: "at once" | "late" | "never"): void
}

/** Nothing learnt yet: every action is worth waiting for. What is learnt goes with the entry. */
export function createPatience(): Patience {
  const left = new WeakMap<ToolEntry, number>()
  const of = (entry: ToolEntry): number => left.get(entry) ?? TRIES
  const after = { "at once": () => 0, late: () => TRIES, never: (tries: number) => tries - 1 }
  return {
    for: (entry) => of(entry) > 0,
    learn: (entry, came) => void left.set(entry, after[came](of(entry))),
  }
}

/** How often in a row an action is waited for in vain. */
const TRIES = 3
