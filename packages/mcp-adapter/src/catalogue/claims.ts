import { compareText } from "@x/tool-schemas/json"
import { createSlots } from "../runtime/slots.js"

/** One key's entry before and after. At least one side is there, and the two are not the same object. */
export interface Change<Listed> {
  /** What the key stood for; absent when it is new. */
  readonly before?: Listed
  /** What the key stands for; absent when it is gone. */
  readonly after?: Listed
}

/** Makes a change of what a key stands for. */
export function toChange<Listed>(before: Listed | undefined, after: Listed | undefined): Change<Listed> {
  return { ...(before !== undefined && { before }), ...(after !== undefined && { after }) }
}

/** Entries by key, where several may claim the same key and only one holds it. */
export interface Claims<Listed> {
  /** Lets an entry claim its key. */
  add(entry: Listed): void
  /** Takes a claim back; an entry that never claimed is ignored. */
  remove(entry: Listed): void
  /** The entry that holds a key. */
  get(key: string): Listed | undefined
  /** How many keys are held. */
  readonly size: number
  /** What changed hands since the last call, net, by key; also where old and new holder publish the same. */
  takeChanges(): ReadonlyMap<string, Change<Listed>>
}

/** What decides between claims. */
interface ClaimsOptions<Listed> {
  /** The key an entry claims. */
  readonly keyOf: (entry: Listed) => string
  /** Negative when the first entry has the better claim. Must not depend on the order of arrival. */
  readonly compare: (a: Listed, b: Listed) => number
  /** The most keys held at once; further ones wait until others go. */
  readonly limit: number
  /** Told of an entry that lost its key to a better claim. */
  readonly onClash: (loser: Listed, winner: Listed) => void
  /** Told of an entry that waits because the limit is reached. */
  readonly onLimit: (entry: Listed) => void
}

/** No claims yet. */
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
      const claims = held.get(key) ?? waiting.get(key) ?? []
      if (held.get(key) !== undefined || held.size() < options.limit) hold(key, claims)
      else {
        waiting.set(key, claims)
        options.onLimit(entry)
      }
      claims.push(entry)
      claims.sort(options.compare)
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

/** A list sorted by key that is put together only when somebody reads it. */
export interface SortedList<Listed> {
  /** Sets what a key stands for; `undefined` removes it. */
  set(key: string, entry: Listed | undefined): void
  /** The list, in code-unit order of the keys; the same array as long as nothing was set. */
  read(): readonly Listed[]
}

/** An empty list. */
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
      // Where nobody reads, what came and went would be noted for good.
      if (pending.size > list.length + MANY) read()
    },
    read,
  }
}

/** How many changes a list may have that its length does not pay for. */
const MANY = 1_000

/** A few are put in their places, which are found by halves; for many there is one pass over all. */
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

/** Where a key stands in a sorted list, or would. */
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

/** Drops what was set, and weaves in the new entries, which alone are sorted. */
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
