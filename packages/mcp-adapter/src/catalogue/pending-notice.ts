import type { Change } from "./claims.js"
import { addChange, type Pending } from "./delta.js"
import type { StateEntry, ToolEntry } from "./entry.js"
import { samePublished } from "./same-published.js"

/** What clients have not been told yet, of one kind of entry. */
export interface PendingNotice<Listed> {
  /** Adds a change. */
  add(key: string, change: Change<Listed>): void
  /** Notes that a reader was handed what is on offer now. */
  read(): void
  /** Whether some reader holds another list than the one on offer now. */
  due(): boolean
  /** The net change since the last call; nothing is pending afterwards. */
  take(): ReadonlyMap<string, Change<Listed>>
}

/**
 * Nothing pending.
 *
 * A change is measured against every list handed out since the last notice. Those are the one at the last
 * notice, and whatever was read since: as soon as one of the latter differs from the former, whatever comes
 * next differs from one of the two, so a notice is certain.
 */
export function createPendingNotice<Listed extends ToolEntry | StateEntry>(): PendingNotice<Listed> {
  let pending: Pending<Listed> = new Map()
  let certain = false
  return {
    add: (key, change) => addChange(pending, key, change, samePublished),
    read() {
      if (pending.size > 0) certain = true
    },
    due: () => certain || pending.size > 0,
    take() {
      const taken = pending
      pending = new Map()
      certain = false
      return taken
    },
  }
}
