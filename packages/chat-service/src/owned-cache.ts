import { LRUCache } from "lru-cache"

/** The owner of a value; `undefined` stands for all anonymous callers. */
export type Owner = string | undefined

/** Limits of the cache. */
export interface OwnedCacheLimits {
  /** The most values in total. Beyond that, the owner with the most loses the least recently used one. */
  readonly max: number
  /** The most values of one owner. Beyond that, the least recently used one is dropped. */
  readonly perOwner: number
  /** How long an unused value is kept, in milliseconds. */
  readonly idleMs: number
}

/** Values by key, separate for each owner: owners cannot see each other's values, nor push them out. */
export interface OwnedCache<Value> {
  /** Returns a value and marks it as used. */
  get(owner: Owner, key: string): Value | undefined
  /** Returns a value without marking it as used. */
  peek(owner: Owner, key: string): Value | undefined
  /** Stores a value and marks it as used. */
  set(owner: Owner, key: string, value: Value): void
  /** Deletes a value. */
  delete(owner: Owner, key: string): void
  /** Returns the number of values. */
  size(): number
}

/**
 * Creates a cache in which the owner with the most values loses them first.
 *
 * @param now - Milliseconds on a monotonic clock.
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
