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
  let size = 0
  let forgotten = 0
  return {
    add(delta) {
      deltas.push(delta)
      size += sizeOf(delta)
      while (size > limit && deltas.length > 1) {
        const [oldest] = deltas.splice(0, 1)
        if (oldest === undefined) break
        size -= sizeOf(oldest)
        forgotten = oldest.revision
      }
    },
    since(revision) {
      if (revision < forgotten) return undefined
      const tools: Pending<ToolEntry> = new Map()
      const states: Pending<StateEntry> = new Map()
      const links: Pending<LinkEntry> = new Map()
      const values = new Map<string, StateEntry>()
      // Revisions are consecutive, so the first delta after `revision` is found by counting.
      for (const delta of deltas.slice(revision - forgotten)) {
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
