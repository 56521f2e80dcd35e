import { compareText } from "@x/base"
import { createSlots } from "../runtime/slots.js"

/** A key's entry before and after a change. At least one side is present, and the two are different objects. */
export interface Change<Listed> {
  /** The former entry; absent for a new key. */
  readonly before?: Listed
  /** The current entry; absent for a removed key. */
  readonly after?: Listed
}

/** Creates the change of a key's entry. */
export function toChange<Listed>(before: Listed | undefined, after: Listed | undefined): Change<Listed> {
  return { ...(before !== undefined && { before }), ...(after !== undefined && { after }) }
}

/** Entries by key. Several entries may claim a key, but only one holds it. */
export interface Claims<Listed> {
  /** Adds an entry's claim to its key. */
  add(entry: Listed): void
  /** Removes a claim. Ignores entries that never claimed. */
  remove(entry: Listed): void
  /** Returns the holder of a key. */
  get(key: string): Listed | undefined
  /** The number of held keys. */
  readonly size: number
  /**
   * Returns the net changes of holders since the last call, by key, including changes between holders that publish the same.
   */
  takeChanges(): ReadonlyMap<string, Change<Listed>>
}

/** Options that decide between claims. */
interface ClaimsOptions<Listed> {
  /** Returns the key that an entry claims. */
  readonly keyOf: (entry: Listed) => string
  /** Returns a negative number when the first entry has the better claim. Must not depend on the order of arrival. */
  readonly compare: (a: Listed, b: Listed) => number
  /** The maximum of held keys. Further ones wait until others are removed. */
  readonly limit: number
  /** Called with an entry that lost its key to a better claim. */
  readonly onClash: (loser: Listed, winner: Listed) => void
  /** Called with an entry that waits because the limit is reached. */
  readonly onLimit: (entry: Listed) => void
}

/** Creates claims without entries. */
export function createClaims<Listed>(options: ClaimsOptions<Listed>): Claims<Listed> {
  const held = createSlots<Listed[]>()
  const waiting = new Map<string, Listed[]>()
  const touched = new Map<string, Listed | undefined>()
  const touch = (key: string): void => {
    if (!touched.has(key)) touched.set(key, held.get(key)?.[0])
  }
  const hold = (key: string, claims: Listed[]): void => {
    touch(key)
    held.fill(key, claims)
  }
  const letWaiting = (): void => {
    const [next] = waiting
    if (next === undefined || held.size() >= options.limit) return
    waiting.delete(next[0])
    hold(...next)
  }

  return {
    add(entry) {
      const key = options.keyOf(entry)
      // Unlike a push or a spread, this leaves no room for further claims, since most keys have one.
      const claims = (held.get(key) ?? waiting.get(key) ?? []).concat(entry).sort(options.compare)
      if (held.get(key) !== undefined || held.size() < options.limit) hold(key, claims)
      else {
        waiting.set(key, claims)
        options.onLimit(entry)
      }
      const [winner, loser] = claims
      if (winner !== undefined && loser !== undefined) options.onClash(loser, winner)
    },
    remove(entry) {
      const key = options.keyOf(entry)
      const isHeld = held.get(key) !== undefined
      const claims = held.get(key) ?? waiting.get(key) ?? []
      const index = claims.indexOf(entry)
      if (index < 0) return
      if (isHeld) touch(key)
      claims.splice(index, 1)
      if (claims.length > 0) return
      if (isHeld) held.vacate(key)
      else waiting.delete(key)
      letWaiting()
    },
    get: (key) => held.get(key)?.[0],
    get size() {
      return held.size()
    },
    takeChanges() {
      const changes = new Map<string, Change<Listed>>()
      for (const [key, before] of touched) {
        const after = held.get(key)?.[0]
        if (before === after) continue
        changes.set(key, toChange(before, after))
      }
      touched.clear()
      return changes
    },
  }
}

/** A list sorted by key, built when read. */
export interface SortedList<Listed> {
  /** Sets the entry of a key; `undefined` removes it. */
  set(key: string, entry: Listed | undefined): void
  /** Returns the list in code-unit order of its keys. The same array until the next `set`. */
  read(): readonly Listed[]
}

/** Creates an empty list. */
export function createSortedList<Listed>(keyOf: (entry: Listed) => string): SortedList<Listed> {
  let list: readonly Listed[] = []
  const pending = new Map<string, Listed | undefined>()
  const read = (): readonly Listed[] => {
    if (pending.size > 0) {
      list = merge(list, pending, keyOf)
      pending.clear()
    }
    return list
  }
  return {
    set(key, entry) {
      pending.set(key, entry)
      // Without readers, pending changes would grow without bound.
      if (pending.size > list.length + MANY) read()
    },
    read,
  }
}

/** The number of pending changes allowed beyond the list's length. */
const MANY = 1_000

/** Inserts a few changes by binary search; merges many in one pass. */
function merge<Listed>(
  list: readonly Listed[],
  pending: ReadonlyMap<string, Listed | undefined>,
  keyOf: (entry: Listed) => string,
): readonly Listed[] {
  if (pending.size > FEW) return weave(list, pending, keyOf)
  const merged = [...list]
  for (const [key, entry] of pending) {
    const at = findPlace(merged, key, keyOf)
    const found = merged[at]
    merged.splice(at, found !== undefined && keyOf(found) === key ? 1 : 0, ...(entry === undefined ? [] : [entry]))
  }
  return Object.freeze(merged)
}

const FEW = 16

/** Returns a key's index in a sorted list, or its insertion index. */
function findPlace<Listed>(list: readonly Listed[], key: string, keyOf: (entry: Listed) => string): number {
  let [from, to] = [0, list.length]
  while (from < to) {
    const middle = (from + to) >>> 1
    const entry = list[middle]
    if (entry !== undefined && keyOf(entry) < key) from = middle + 1
    else to = middle
  }
  return from
}

/** Drops changed keys and merges in the new entries, sorting only those. */
function weave<Listed>(
  list: readonly Listed[],
  pending: ReadonlyMap<string, Listed | undefined>,
  keyOf: (entry: Listed) => string,
): readonly Listed[] {
  const arrivals = [...pending].filter((pair): pair is [string, Listed] => pair[1] !== undefined)
  arrivals.sort(([a], [b]) => compareText(a, b))
  const merged: Listed[] = []
  let next = 0
  const takeArrivalsBefore = (key: string | undefined): void => {
    for (let arrival = arrivals[next]; arrival && (key === undefined || arrival[0] < key); arrival = arrivals[next]) {
      merged.push(arrival[1])
      next += 1
    }
  }
  for (const entry of list) {
    const key = keyOf(entry)
    if (pending.has(key)) continue
    takeArrivalsBefore(key)
    merged.push(entry)
  }
  takeArrivalsBefore(undefined)
  return Object.freeze(merged)
}
