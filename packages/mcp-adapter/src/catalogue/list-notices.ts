import type { Clock } from "../runtime/clock.js"
import type { Ledger } from "../runtime/ledger.js"
import type { Change } from "./claims.js"
import { addChanges, type Pending } from "./delta.js"
import type { StateEntry, ToolEntry } from "./entry.js"
import { createNoticeWindow } from "./notice-window.js"

/** Tells of a list that is another than the one some reader holds, at most once per notice window. */
export interface ListNotices<Listed> {
  /** Adds changes. */
  add(changes: ReadonlyMap<string, Change<Listed>>): void
  /** Notes that a reader was handed the list as it is now. */
  read(): void
  /** Ends a task: what is due is delivered, now or when the window allows. */
  settle(): void
  /** Ends the wait. */
  close(): void
}

/** What list notices need. */
export interface ListNoticesOptions {
  /** Time. */
  readonly clock: Clock
  /** Counts the timer. */
  readonly ledger: Ledger
  /** The least time between two notices, in milliseconds. */
  readonly noticeWindow: number
  /** How long an entry must have been gone before that is told, in milliseconds. Default 0. */
  readonly flickerWindow?: number | undefined
}

/**
 * Nothing to tell yet.
 *
 * A change is measured against every list handed out since the last notice. Those are the one at the last
 * notice, and whatever was read since: as soon as one of the latter differs from the former, whatever comes
 * next differs from one of the two, so a notice is certain.
 *
 * @param deliver - Delivers a notice of the net change since the last one. Must not throw.
 */
export function createListNotices<Listed extends ToolEntry | StateEntry>(
  options: ListNoticesOptions,
  deliver: (changes: ReadonlyMap<string, Change<Listed>>) => void,
): ListNotices<Listed> {
  let pending: Pending<Listed> = new Map()
  let certain = false
  const gone = createGone(options)
  const window = createNoticeWindow({
    ...options,
    window: options.noticeWindow,
    dueAt: () => (certain ? Number.NEGATIVE_INFINITY : gone.dueAt(pending)),
    deliver() {
      const taken = pending
      pending = new Map()
      certain = false
      deliver(taken)
    },
  })
  return {
    add(changes) {
      addChanges(pending, changes)
      gone.note(pending, changes.keys())
    },
    read() {
      if (pending.size > 0) certain = true
    },
    settle: window.settle,
    close: window.close,
  }
}

/** Remembers since when entries have been gone. */
function createGone({ clock, flickerWindow = 0 }: Pick<ListNoticesOptions, "clock" | "flickerWindow">) {
  const since = new Map<string, number>()
  const isGone = (pending: ReadonlyMap<string, Change<unknown>>, key: string): boolean => {
    const change = pending.get(key)
    return change !== undefined && change.after === undefined
  }
  return {
    note(pending: ReadonlyMap<string, Change<unknown>>, keys: Iterable<string>): void {
      if (flickerWindow === 0) return
      for (const key of keys) {
        if (!isGone(pending, key)) since.delete(key)
        else if (!since.has(key)) since.set(key, clock.now())
      }
    },
    /** When the first of the changes is due: at once, but for what may be back soon. */
    dueAt(pending: ReadonlyMap<string, Change<unknown>>): number | undefined {
      for (const key of since.keys()) if (!isGone(pending, key)) since.delete(key)
      if (pending.size === 0) return undefined
      if (since.size < pending.size) return Number.NEGATIVE_INFINITY
      return Math.min(...since.values()) + flickerWindow
    },
  }
}
