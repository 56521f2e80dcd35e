/** Each client's share of something limited: bytes, sessions, streams. */
export interface Shares {
  /** The sum of all shares. */
  total(): number
  /** The share of one client. */
  of(client: string): number
  /** Adds to a client's share; a negative `weight` reduces it. */
  add(client: string, weight: number): void
  /** A client with the largest share, or at least half as much; `undefined` if all shares are empty. */
  largest(): string | undefined
}

/**
 * Creates empty shares. Each step takes constant time, however many clients there are: clients are grouped by the power of two
 * that their share reaches.
 */
export function createShares(): Shares {
  const held = new Map<string, number>()
  const rows: Set<string>[] = []
  let total = 0
  const rowOf = (weight: number): Set<string> => {
    const index = 31 - Math.clz32(Math.min(weight, MAX_ROW))
    rows[index] ??= new Set()
    return rows[index]
  }
  return {
    total: () => total,
    of: (client) => held.get(client) ?? 0,
    add(client, weight) {
      const before = held.get(client) ?? 0
      const after = before + weight
      total += weight
      const [from, to] = [before > 0 ? rowOf(before) : undefined, after > 0 ? rowOf(after) : undefined]
      if (from !== to) {
        from?.delete(client)
        to?.add(client)
      }
      if (after > 0) held.set(client, after)
      else held.delete(client)
    },
    largest() {
      for (let index = rows.length - 1; index >= 0; index -= 1) {
        const [client] = rows[index] ?? []
        if (client !== undefined) return client
      }
      return undefined
    },
  }
}

/** The largest group, from 1 GB on. */
const MAX_ROW = 2 ** 30

/** Weight limits for each client and for all together. */
export interface ShareLimits {
  /** The most for each client: a principal, or an anonymous caller's address. */
  readonly client: number
  /** The most for all clients together. */
  readonly total: number
}

/** A weighted resource, revocable to make room. */
export interface Hold {
  /**
   * Increases the weight.
   *
   * @returns Whether it is still held; `false` if it was dropped to make room.
   */
  grow(weight: number): boolean
  /** Releases it; idempotent. */
  release(): void
}

/** The owner of a hold. */
export interface Holder {
  /** Runs once, when it is dropped. */
  lose(): void
  /** Returns the current weight if it may have shrunk without a report; asked before anything is dropped. */
  weigh?(): number
}

/** All holds of all clients, within limits. */
export interface Pool {
  /** Begins a hold with no weight. */
  hold(client: string, holder: Holder): Hold
  /** The total weight of all holds. */
  total(): number
  /** The total weight of one client's holds. */
  of(client: string): number
}

/**
 * Creates an empty pool. A client that exceeds its limit loses its heaviest hold; if the total exceeds its limit, the client
 * that holds the most loses its heaviest, whoever asked last. A single hold may have any weight.
 */
export function createPool(limits: ShareLimits): Pool {
  const shares = createShares()
  const holds = new Map<string, Set<Held>>()
  let count = 0
  const change = (held: Held, weight: number): void => {
    shares.add(held.client, weight - held.weight)
    held.weight = weight
  }
  const drop = (held: Held): void => {
    const own = holds.get(held.client)
    if (own?.delete(held) !== true) return
    count -= 1
    if (own.size === 0) holds.delete(held.client)
    change(held, 0)
  }
  /** Takes the client's heaviest hold, unless it has become lighter since. */
  const takeFrom = (client: string): void => {
    const heaviest = findHeaviest(holds.get(client) ?? [])
    if (heaviest === undefined) return
    const now = heaviest.holder.weigh?.() ?? heaviest.weight
    if (now < heaviest.weight) change(heaviest, now)
    else {
      drop(heaviest)
      heaviest.open = false
      heaviest.holder.lose()
    }
  }
  const makeRoom = (client: string): void => {
    while (shares.of(client) > limits.client && (holds.get(client)?.size ?? 0) > 1) takeFrom(client)
    while (shares.total() > limits.total && count > 1) takeFrom(shares.largest() ?? client)
  }
  const add = (held: Held): void => {
    const own = holds.get(held.client) ?? new Set()
    if (own.has(held)) return
    holds.set(held.client, own)
    own.add(held)
    count += 1
  }
  return {
    hold(client, holder) {
      const held: Held = { client, holder, weight: 0, open: true }
      return {
        grow(weight) {
          if (!held.open) return false
          if (held.weight === 0 && weight > 0) add(held)
          change(held, held.weight + weight)
          makeRoom(client)
          return held.open
        },
        release() {
          held.open = false
          drop(held)
        },
      }
    },
    total: shares.total,
    of: shares.of,
  }
}

interface Held {
  readonly client: string
  readonly holder: Holder
  weight: number
  open: boolean
}

function findHeaviest(holds: Iterable<Held>): Held | undefined {
  let heaviest: Held | undefined
  for (const held of holds) if (heaviest === undefined || held.weight > heaviest.weight) heaviest = held
  return heaviest
}
