import { addChanges, type Delta, type Pending } from "./delta.js"
import type { LinkEntry, StateEntry, ToolEntry } from "./entry.js"

/** Remembers the last deltas, so that a reader can be told what changed since it last looked. */
export interface ChangeLog {
  /** Adds the newest delta. */
  add(delta: Delta): void
  /** The net change after `revision`; `undefined` when deltas after it are forgotten already. */
  since(revision: number): Omit<Delta, "revision"> | undefined
}

/**
 * An empty log.
 *
 * @param limit - How many changes are remembered, over all deltas; the newest delta is kept whatever its size.
 */
export function createChangeLog(limit: number): ChangeLog {
  const deltas: Delta[] = []
  // Where the remembered ones begin; those before are cut off by the hundred, since cutting moves all the rest.
  let first = 0
  let size = 0
  let forgotten = 0
  return {
    add(delta) {
      deltas.push(delta)
      size += sizeOf(delta)
      for (let oldest = deltas[first]; oldest && size > limit && first < deltas.length - 1; oldest = deltas[first]) {
        size -= sizeOf(oldest)
        forgotten = oldest.revision
        first += 1
      }
      if (first < 100) return
      deltas.splice(0, first)
      first = 0
    },
    since(revision) {
      if (revision < forgotten) return undefined
      const tools: Pending<ToolEntry> = new Map()
      const states: Pending<StateEntry> = new Map()
      const links: Pending<LinkEntry> = new Map()
      const values = new Map<string, StateEntry>()
      // Revisions are consecutive, so the first delta after `revision` is found by counting.
      for (const delta of deltas.slice(first + revision - forgotten)) {
        addChanges(tools, delta.tools)
        addChanges(states, delta.states)
        addChanges(links, delta.links)
        for (const [key, entry] of delta.values) values.set(key, entry)
      }
      // A state that came or went is told as that, not as a new value besides.
      for (const key of states.keys()) values.delete(key)
      return { tools, states, links, values }
    },
  }
}

function sizeOf(delta: Delta): number {
  return delta.tools.size + delta.states.size + delta.links.size + delta.values.size
}
