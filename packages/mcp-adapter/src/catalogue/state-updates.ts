import type { Cancel, Clock } from "../runtime/clock.js"
import type { Ledger } from "../runtime/ledger.js"

/** Tells of new values to those who want to know, each URI at most once per notice window. */
export interface StateUpdates {
  /** Notes that the value behind a URI is another. Costs nothing where nobody listens. */
  changed(uri: string): void
  /** Ends a task: what changed in it is delivered, now or when the window of its URI allows. */
  settle(): void
  /** Counts a listener in for some URIs, or for all, until the returned function is called. */
  watch(uris: readonly string[] | "all"): () => void
  /** Ends the wait. */
  close(): void
}

/** What state updates need. */
export interface StateUpdatesOptions {
  /** Time. */
  readonly clock: Clock
  /** Counts the timer and the listeners. */
  readonly ledger: Ledger
  /** The least time between two notices for one URI, in milliseconds. */
  readonly noticeWindow: number
  /** Delivers one. Must not throw. */
  readonly deliver: (uri: string) => void
}

/** Stands for every URI among the watched ones; no URI is empty. */
const ALL = ""

/** Nobody listens yet. */
export function createStateUpdates(options: StateUpdatesOptions): StateUpdates {
  const { clock, ledger, noticeWindow } = options
  const watchers = new Map<string, number>()
  const pending = new Set<string>()
  /** When each URI was last told of; those longer ago than the window are forgotten. */
  const told = new Map<string, number>()
  let cancel: Cancel | undefined

  const watched = (uri: string): boolean => watchers.has(uri) || watchers.has(ALL)
  const count = (uri: string, by: 1 | -1): void => {
    const now = (watchers.get(uri) ?? 0) + by
    if (now > 0) watchers.set(uri, now)
    else watchers.delete(uri)
  }
  const stop = (): void => {
    cancel?.()
    cancel = undefined
  }
  const wait = (milliseconds: number): void => {
    const closeTimer = ledger.open("timer")
    const stopTimer = clock.after(milliseconds, () => {
      stop()
      settle()
    })
    cancel = () => {
      stopTimer()
      closeTimer()
    }
  }
  const settle = (): void => {
    const now = clock.now()
    let first = Number.POSITIVE_INFINITY
    for (const [uri, at] of told) if (now - at >= noticeWindow) told.delete(uri)
    for (const uri of [...pending]) {
      const at = told.get(uri)
      if (at !== undefined) first = Math.min(first, at)
      else {
        pending.delete(uri)
        told.set(uri, now)
        options.deliver(uri)
      }
    }
    if (pending.size > 0 && cancel === undefined && first < now + noticeWindow) wait(first + noticeWindow - now)
  }

  return {
    changed(uri) {
      if (watched(uri)) pending.add(uri)
    },
    settle,
    watch(uris) {
      const wanted = uris === "all" ? [ALL] : [...new Set(uris)]
      for (const uri of wanted) count(uri, 1)
      const closed = ledger.open("subscription")
      let released = false
      return () => {
        if (released) return
        released = true
        closed()
        for (const uri of wanted) count(uri, -1)
        for (const uri of pending) if (!watched(uri)) pending.delete(uri)
        if (pending.size === 0) stop()
      }
    },
    close() {
      stop()
      pending.clear()
    },
  }
}
