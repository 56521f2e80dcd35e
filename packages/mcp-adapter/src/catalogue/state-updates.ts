import type { Cancel, Clock } from "../runtime/clock.js"
import type { Ledger } from "../runtime/ledger.js"
import { createWatchers } from "./watchers.js"

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

/** Nobody listens yet. */
export function createStateUpdates(options: StateUpdatesOptions): StateUpdates {
  const { clock, ledger, noticeWindow } = options
  const watchers = createWatchers()
  const pending = new Set<string>()
  /** When each URI was last told of; those longer ago than the window are forgotten. */
  const told = new Map<string, number>()
  let cancel: Cancel | undefined

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
    for (const [uri, at] of told) if (now - at >= noticeWindow) told.delete(uri)
    for (const uri of [...pending].filter((waiting) => !told.has(waiting))) {
      pending.delete(uri)
      told.set(uri, now)
      options.deliver(uri)
    }
    const first = Math.min(...[...pending].map((uri) => told.get(uri) ?? now))
    if (pending.size > 0 && cancel === undefined) wait(first + noticeWindow - now)
  }

  return {
    changed(uri) {
      if (watchers.has(uri)) pending.add(uri)
    },
    settle,
    watch(uris) {
      const forget = once(watchers.add(uris), ledger.open("subscription"))
      return () => {
        forget()
        for (const uri of pending) if (!watchers.has(uri)) pending.delete(uri)
        if (pending.size === 0) stop()
      }
    },
    close() {
      stop()
      pending.clear()
    },
  }
}

function once(...actions: readonly (() => void)[]): () => void {
  let done = false
  return () => {
    if (!done) for (const action of actions) action()
    done = true
  }
}
