import type { ToolEntry } from "../catalogue/entry.js"
import type { Patience } from "./handler-options.js"

/** Creates an empty memory: every action is worth waiting for. One caller's experience applies to all callers of an action. */
export function createPatience(): Patience {
  const left = new Map<string, number>()
  const keyOf = ({ thing, key }: ToolEntry): string => `${key} ${thing}`
  const of = (action: string): number => left.get(action) ?? TRIES
  const after = { "at once": () => 0, late: () => TRIES, never: (tries: number) => tries - 1 }
  return {
    for: (entry) => of(keyOf(entry)) > 0,
    learn(entry, came) {
      const action = keyOf(entry)
      // Bounds the memory, because services come and go.
      if (left.size >= MOST_LEARNT) left.clear()
      left.set(action, after[came](of(action)))
    },
  }
}

/** The maximum of remembered actions. */
const MOST_LEARNT = 10_000

/** The number of fruitless waits in a row before calls of an action stop waiting. */
const TRIES = 3
