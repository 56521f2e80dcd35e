import type { Change } from "./claims.js"
import type { ToolEntry } from "./entry.js"

/** Since when each tool name has led to the thing it leads to now, over times when it was not listed as well. */
export interface Occupants {
  /** Takes in which names changed hands, and at which revision. */
  note(traded: ReadonlyMap<string, Change<ToolEntry>>, revision: number): void
  /** The revision since which a name leads to another thing than before; 0 for a name that always led to one thing. */
  since(name: string): number
}

/**
 * Creates a memory of names in which no name has changed its thing.
 *
 * @param memory - How many unlisted names, and how many changes, are remembered; the oldest are forgotten first.
 */
export function createOccupants(memory: number): Occupants {
  /** The things of names that are not listed now. Those of listed names stand in their entries. */
  const departed = new Map<string, string>()
  const changedAt = new Map<string, number>()
  const remember = <Value>(map: Map<string, Value>, name: string, value: Value): void => {
    map.delete(name)
    map.set(name, value)
    const [oldest] = map.keys()
    if (map.size > memory && oldest !== undefined) map.delete(oldest)
  }
  const noteOne = (name: string, { before, after }: Change<ToolEntry>, revision: number): void => {
    const former = before?.thing ?? departed.get(name)
    if (former === undefined) return
    if (after === undefined) remember(departed, name, former)
    else {
      departed.delete(name)
      if (former !== after.thing) remember(changedAt, name, revision)
    }
  }
  return {
    note(traded, revision) {
      for (const [name, change] of traded) noteOne(name, change, revision)
    },
    since: (name) => changedAt.get(name) ?? 0,
  }
}
