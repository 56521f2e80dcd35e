import { LRUCache } from "lru-cache"

/** Who something is kept for; `undefined` stands for all whom nobody knows. */
export type Owner = string | undefined

/** How much is kept. */
export interface OwnedCacheLimits {
  /** How many in all; beyond it, whoever has most loses the one used longest ago. */
  readonly max: number
  /** How many of one owner; beyond it, the one used longest ago goes. */
  readonly perOwner: number
  /** How long one is kept unused, in milliseconds. */
  readonly idleMs: number
}

/** Values by key, each of which is its owner's alone: another finds nothing under the same key, and pushes nothing out. */
export interface OwnedCache<Value> {
  /** Finds one, as used now. */
  get(owner: Owner, key: string): Value | undefined
  /** Finds one, without any sign of use. */
  peek(owner: Owner, key: string): Value | undefined
  /** Keeps one, as used now. */
  set(owner: Owner, key: string, value: Value): void
  /** Forgets one. */
  delete(owner: Owner, key: string): void
  /** How many are kept. */
  size(): number
}

/**
 * Makes a cache in which who fills it pays.
 *
 * @param now - Milliseconds on a clock that never goes back.
 */
export function createOwnedCache<Value extends object>(
  { max, perOwner, idleMs }: OwnedCacheLimits,
  now: () => number = () => performance.now(),
): OwnedCache<Value> {
  const owners = new Map<Owner, LRUCache<string, Value>>()
  const size = (): number => [...owners.values()].reduce((sum, own) => sum + own.size, 0)
  const sweep = (): void => {
    for (const [owner, own] of owners) {
      own.purgeStale()
      if (own.size === 0) owners.delete(owner)
    }
  }
  const of = (owner: Owner): LRUCache<string, Value> => {
    const own =
      owners.get(owner) ??
      new LRUCache({ max: perOwner, ttl: idleMs, updateAgeOnGet: true, ttlResolution: 0, perf: { now } })
    owners.set(owner, own)
    return own
  }
  return {
    get: (owner, key) => owners.get(owner)?.get(key),
    peek: (owner, key) => owners.get(owner)?.peek(key),
    set(owner, key, value) {
      of(owner).set(key, value)
      if (size() <= max) return
      sweep()
      while (size() > max) fullest(owners.values())?.pop()
    },
    delete: (owner, key) => void owners.get(owner)?.delete(key),
    size() {
      sweep()
      return size()
    },
  }
}

function fullest<Value extends object>(all: Iterable<LRUCache<string, Value>>): LRUCache<string, Value> | undefined {
  let most: LRUCache<string, Value> | undefined
  for (const own of all) if (most === undefined || own.size > most.size) most = own
  return most
}
