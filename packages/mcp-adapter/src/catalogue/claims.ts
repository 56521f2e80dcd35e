import { createSlots } from "./slots.js"

/** One key's entry before and after. At least one side is there, and the two are not the same object. */
export interface Change<Listed> {
  /** What the key stood for; absent when it is new. */
  readonly before?: Listed
  /** What the key stands for; absent when it is gone. */
  readonly after?: Listed
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
export interface ClaimsOptions<Listed> {
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
  const held = createSlots<Listed>()
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
        changes.set(key, { ...(before !== undefined && { before }), ...(after !== undefined && { after }) })
      }
      touched.clear()
      return changes
    },
  }
}
