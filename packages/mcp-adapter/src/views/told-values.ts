import type { State } from "@x/agentic-service"
import { type JsonValue, toJson } from "@x/tool-schemas/json"
import type { Change } from "../catalogue/claims.js"
import type { StateEntry } from "../catalogue/entry.js"
import { type Cancel, type Host, once, startTimer } from "../runtime/host.js"

/**
 * What a class of callers was last told of each state, or read of it, as a hash of its encoding. That, and not what a live
 * object was, says whether a state has another value for them: an object that was changed in place is still itself.
 */
export interface ToldValues {
  /** Whether a state is another than these callers know; so is one that they were never told of. Encodes it. */
  differs(entry: StateEntry): boolean
  /** {@link ToldValues.differs}, or whether others among them than `client` have been told of another value after a revision. */
  differsSince(entry: StateEntry, revision: number, client?: string): boolean
  /**
   * Notes that they know a state as it is now.
   *
   * @param json - What they were handed, where that is at hand. Default: what its value is as JSON.
   * @param client - The one who was handed it. Default: all of them.
   * @returns How many characters of JSON it has; 0 where it is gone.
   */
  tell(entry: StateEntry, json?: JsonValue, client?: string): number
  /** Whether something is known of a URI. */
  knows(uri: string): boolean
  /** Stands for the value of a state as it is now; equal for equal values. `undefined` where it is gone. */
  hashOf(entry: StateEntry): number | undefined
  /**
   * Notes all that they were never told of, as far as it is little, so that the next other value can be told from the same
   * one emitted again. The first time only: what comes later is told of as it comes.
   */
  noteAll(list: () => readonly StateEntry[]): void
  /** Forgets the states that are gone. */
  forgetGone(changes: ReadonlyMap<string, Change<StateEntry>>): void
}

/**
 * Creates a memory of what callers know that holds nothing yet.
 *
 * @param revision - The revision of what is on offer now.
 */
export function createToldValues(revision: () => number): ToldValues {
  const told = new Map<string, number>()
  /** At which revision, and who, was told first of the value that is told. */
  const toldAt = new Map<string, { readonly revision: number; readonly client: string | undefined }>()
  let notedAll = false
  const tell = (entry: StateEntry, json?: JsonValue, client?: string): number => {
    const state = entry.current()
    if (state === undefined) return 0
    // What was handed out is the truth, also where the value was changed in place and nobody said so.
    if (json !== undefined && state.remote === undefined) hashes.set(state, toHash(json))
    const { hash, chars } = hashOf(state, entry)
    const before = told.get(entry.uri)
    if (before !== undefined && before !== hash) toldAt.set(entry.uri, { revision: revision(), client })
    told.set(entry.uri, hash)
    return chars
  }
  const differs = (entry: StateEntry): boolean => {
    const state = entry.current()
    return state !== undefined && told.get(entry.uri) !== hashOf(state, entry).hash
  }
  return {
    tell,
    noteAll(list) {
      if (notedAll) return
      notedAll = true
      let chars = NOTED.chars
      for (const entry of list().slice(0, NOTED.states)) {
        if (chars <= 0) return
        if (!told.has(entry.uri)) chars -= tell(entry)
      }
    },
    differs,
    differsSince(entry, since, client) {
      if (differs(entry)) return true
      const told = toldAt.get(entry.uri)
      return told !== undefined && told.revision > since && (client === undefined || told.client !== client)
    },
    knows: (uri) => told.has(uri),
    hashOf(entry) {
      const state = entry.current()
      return state && hashOf(state, entry).hash
    },
    forgetGone(changes) {
      for (const [uri, { after }] of changes) {
        if (after !== undefined) continue
        told.delete(uri)
        toldAt.delete(uri)
      }
    },
  }
}

/** How many states, and how many characters of them, are noted unasked. */
const NOTED = { states: 200, chars: 1_000_000 }

/** By emission, since a state that emits is another object: many classes of callers are told of one. */
const hashes = new WeakMap<State, Encoded>()

interface Encoded {
  readonly hash: number
  readonly chars: number
}

function hashOf(state: State, { thing }: StateEntry): Encoded {
  const known = hashes.get(state)
  if (known !== undefined) return known
  // What stands for a value held elsewhere says nothing of another thing's value.
  const hash = toHash(state.remote === undefined ? toJson(state.value) : [thing, toJson(state.value)])
  hashes.set(state, hash)
  return hash
}

/** 53 bits of a text (cyrb53): nobody is kept out by it, and it costs less than the encoding. */
function toHash(json: JsonValue): Encoded {
  const text = JSON.stringify(json)
  let high = 0xdeadbeef
  let low = 0x41c6ce57
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index)
    high = Math.imul(high ^ unit, 2654435761)
    low = Math.imul(low ^ unit, 1597334677)
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909)
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909)
  return { hash: 4294967296 * (2097151 & low) + (high >>> 0), chars: text.length }
}

/** Tells of new values to those who want to know, each URI at most once per notice window. */
interface StateUpdates {
  /** Notes that the value behind a URI is another. Costs nothing where nobody listens. */
  changed(uri: string): void
  /** Ends a task: what changed in it is delivered, now or when the window of its URI allows. */
  settle(): void
  /** Notes that somebody was handed a state as it is now: once it is another, that one has to be told as well. */
  handed(entry: StateEntry): void
  /** Notes that a state is gone: when it is back, that is told. */
  gone(uri: string): void
  /** Counts a listener in for some URIs, or for all, until the returned function is called. */
  watch(uris: readonly string[] | "all"): () => void
  /** Ends the wait. */
  close(): void
}

/** What state updates need. */
interface StateUpdatesOptions {
  /** Time, what is held, and who is told. */
  readonly host: Host
  /** The least time between two notices for one URI, in milliseconds. */
  readonly windowMs: number
  /** What these callers know. */
  readonly told: ToldValues
  /** The visible state behind a URI. */
  readonly find: (uri: string) => StateEntry | undefined
  /** Delivers one. Must not throw. */
  readonly deliver: (uri: string) => void
}

/** Nobody listens yet. */
export function createStateUpdates(options: StateUpdatesOptions): StateUpdates {
  const { host, windowMs } = options
  const held = createHeld(options)
  const watchers = createWatchers()
  const pending = new Set<string>()
  /** When each URI was last told of; those longer ago than the window are forgotten. */
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
    handed: held.handed,
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

/** The values of each URI that somebody may hold who listens. */
function createHeld({ told, find }: Pick<StateUpdatesOptions, "told" | "find">) {
  const held = new Map<string, Set<number>>()
  const hand = (entry: StateEntry, known: Set<number>): void => {
    const now = told.hashOf(entry)
    if (now !== undefined) held.set(entry.uri, known.add(now))
  }
  return {
    /** Whoever begins to listen is told of the next other value, so what it is now counts as known. */
    begin(uri: string): void {
      const entry = find(uri)
      if (entry !== undefined) hand(entry, held.get(uri) ?? new Set())
    },
    handed(entry: StateEntry): void {
      if (held.has(entry.uri)) hand(entry, held.get(entry.uri) ?? new Set())
    },
    /** Whether somebody may hold another value than the one there is; from now on all are told of this one. */
    isNews(uri: string): boolean {
      const entry = find(uri)
      if (entry === undefined) return false
      const known = held.get(uri)
      held.delete(uri)
      hand(entry, new Set())
      const news = mayDiffer(known, held.get(uri))
      if (news) told.tell(entry)
      return news
    },
    forget: (uri: string): void => void held.delete(uri),
    clear: (): void => held.clear(),
  }
}

/** One who was told of it in an answer is not the only one who listens; of who hears of everything nothing is known. */
function mayDiffer(known: ReadonlySet<number> | undefined, now: ReadonlySet<number> = new Set()): boolean {
  const [hash] = now
  if (hash === undefined) return false
  return known === undefined || known.size > 1 || !known.has(hash)
}

/** They are in the order in which they were told. */
function forgetOlder(told: Map<string, number>, time: number): void {
  for (const [uri, at] of told) {
    if (at > time) return
    told.delete(uri)
  }
}

/** Who wants to hear of which URIs. */
interface Watchers {
  /** Whether somebody wants to hear of a URI. */
  has(uri: string): boolean
  /**
   * Counts somebody in for some URIs, or for all.
   *
   * @returns Counts them out.
   */
  add(uris: readonly string[] | "all"): () => void
}

/** Stands for every URI; no URI is empty. */
const ALL = ""

/** Nobody yet. */
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
