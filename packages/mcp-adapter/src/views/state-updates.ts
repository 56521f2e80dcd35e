import type { StateEntry } from "../catalogue/entry.js"
import { type Cancel, type Host, once, startTimer } from "../runtime/host.js"
import type { ToldValues } from "./told-values.js"

/** Announces new values to watchers under the URI that each of them asked for, at most once per URI and notice window. */
interface StateUpdates {
  /** Records a new value at a URI that may be watched. Free without watchers. */
  changed(uri: string): void
  /** Ends a task: its changes are delivered, now or when their URI's window allows. */
  settle(): void
  /** Records that a reader received a state's current value, so that it hears of the next one. */
  handed(entry: StateEntry): void
  /** Records that a URI stands for no state. Its return will be announced. */
  gone(uri: string): void
  /** Registers a watcher of some URIs, or of all, until the returned function is called. */
  watch(uris: readonly string[] | "all"): () => void
  /** Stops waiting. */
  close(): void
}

/** Options of state updates. */
interface StateUpdatesOptions {
  /** Clock, ledger and diagnostics reporter. */
  readonly host: Host
  /** The minimum of milliseconds between two notices for one URI. */
  readonly windowMs: number
  /** The callers' known values. */
  readonly told: ToldValues
  /** Returns the visible state at a watched URI. */
  readonly find: (uri: string) => StateEntry | undefined
  /** Returns all watched URIs of a state. */
  readonly urisOf: (entry: StateEntry) => Iterable<string>
  /** Delivers a notice. Must not throw. */
  readonly deliver: (uri: string) => void
}

/** Creates state updates without watchers. */
export function createStateUpdates(options: StateUpdatesOptions): StateUpdates {
  const { host, windowMs } = options
  const held = createHeld(options)
  const watchers = createWatchers()
  const pending = new Set<string>()
  /** The time of each URI's last notice; those older than the window are forgotten. */
  const told = new Map<string, number>()
  let cancel: Cancel | undefined

  const deliver = (uri: string, now: number): void => {
    pending.delete(uri)
    if (!held.isNews(uri)) return
    told.set(uri, now)
    options.deliver(uri)
  }
  const dropUnheard = (uris: readonly string[]): void => {
    for (const uri of uris.filter((each) => !watchers.has(each))) {
      pending.delete(uri)
      held.forget(uri)
    }
    if (pending.size === 0) stop()
  }
  const stop = (): void => {
    cancel?.()
    cancel = undefined
  }
  const settle = (): void => {
    const now = host.clock.now()
    forgetOlder(told, now - windowMs)
    for (const uri of pending) if (!told.has(uri)) deliver(uri, now)
    const [first] = told.values()
    if (pending.size === 0 || cancel !== undefined || first === undefined) return
    cancel = startTimer(host, first + windowMs - now, () => {
      cancel = undefined
      settle()
    })
  }

  return {
    changed(uri) {
      if (watchers.has(uri)) pending.add(uri)
    },
    settle,
    handed(entry) {
      for (const uri of options.urisOf(entry)) held.handed(uri, entry)
    },
    gone: held.forget,
    watch(uris) {
      const uncount = watchers.add(uris)
      if (uris !== "all") uris.forEach(held.begin)
      const closed = host.ledger.open("subscription")
      return once(() => {
        uncount()
        closed()
        dropUnheard(uris === "all" ? [...pending] : uris)
      })
    },
    close() {
      stop()
      pending.clear()
      held.clear()
    },
  }
}

/** Creates the record of values that watchers may hold. */
function createHeld({ told, find }: Pick<StateUpdatesOptions, "told" | "find">) {
  const held = new Map<string, Set<number>>()
  const hand = (uri: string, entry: StateEntry, known: Set<number>): void => {
    const now = told.hashOf(entry)
    if (now !== undefined) held.set(uri, known.add(now))
  }
  return {
    /** Records the current value as known to a new watcher, who hears of the next one. */
    begin(uri: string): void {
      const entry = find(uri)
      if (entry !== undefined) hand(uri, entry, held.get(uri) ?? new Set())
    },
    handed(uri: string, entry: StateEntry): void {
      const known = held.get(uri)
      if (known !== undefined) hand(uri, entry, known)
    },
    /** Checks whether any watcher may hold another value. Afterwards all count as holding the current one. */
    isNews(uri: string): boolean {
      const entry = find(uri)
      if (entry === undefined) return false
      const known = held.get(uri)
      held.delete(uri)
      hand(uri, entry, new Set())
      const news = mayDiffer(known, held.get(uri))
      if (news) told.tell(entry)
      return news
    },
    forget: (uri: string): void => void held.delete(uri),
    clear: (): void => held.clear(),
  }
}

/** A reader that received the value in an answer is not the only watcher, and nothing is known about watchers of all URIs. */
function mayDiffer(known: ReadonlySet<number> | undefined, now: ReadonlySet<number> = new Set()): boolean {
  const [hash] = now
  if (hash === undefined) return false
  return known === undefined || known.size > 1 || !known.has(hash)
}

/** Entries are in order of their time. */
function forgetOlder(told: Map<string, number>, time: number): void {
  for (const [uri, at] of told) {
    if (at > time) return
    told.delete(uri)
  }
}

/** The watchers of each URI. */
interface Watchers {
  /** Whether a URI has a watcher. */
  has(uri: string): boolean
  /**
   * Registers a watcher of some URIs, or of all.
   *
   * @returns A function that unregisters it.
   */
  add(uris: readonly string[] | "all"): () => void
}

/** Represents every URI, since no URI is empty. */
const ALL = ""

/** Creates an empty registry of watchers. */
function createWatchers(): Watchers {
  const counts = new Map<string, number>()
  const count = (uri: string, by: 1 | -1): void => {
    const now = (counts.get(uri) ?? 0) + by
    if (now > 0) counts.set(uri, now)
    else counts.delete(uri)
  }
  return {
    has: (uri) => counts.has(uri) || counts.has(ALL),
    add(uris) {
      const wanted = uris === "all" ? [ALL] : [...new Set(uris)]
      for (const uri of wanted) count(uri, 1)
      return () => {
        for (const uri of wanted) count(uri, -1)
      }
    },
  }
}
