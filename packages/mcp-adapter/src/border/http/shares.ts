/** Who holds how much of something that all share: bytes, sessions, streams. */
export interface Shares {
  /** What all hold together. */
  total(): number
  /** What one client holds. */
  of(client: string): number
  /** Gives a client more, or takes back where `weight` is negative. */
  add(client: string, weight: number): void
  /** One who holds the most, or at least half as much as whoever does; `undefined` where nobody holds anything. */
  largest(): string | undefined
}

/**
 * Nobody holds anything. Every step takes the same time, however many clients there are: they stand in rows by the power of
 * two that they reach, so that whoever has to pay is found at once.
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

/** Beyond it all are alike; 1 GB. */
const MAX_ROW = 2 ** 30

/** How much may be held, by one client and by all. */
export interface ShareLimits {
  /** By one client, which is a principal, or the address of who has none. */
  readonly client: number
  /** By all together. */
  readonly total: number
}

/** Something that weighs, and can be taken from who holds it. */
export interface Hold {
  /**
   * Makes it heavier.
   *
   * @returns Whether it is still held: no more, where it was what had to go to make room.
   */
  grow(weight: number): boolean
  /** Gives it back; idempotent. */
  release(): void
}

/** What becomes of something that is held. */
export interface Holder {
  /** Runs once, when it has to go. */
  lose(): void
  /** How much of it there is now, where it may have become less unnoticed; asked before anything has to go. */
  weigh?(): number
}

/** What all hold, within limits for which everybody pays alone. */
export interface Pool {
  /** Begins to hold something, of no weight yet. */
  hold(client: string, holder: Holder): Hold
  /** What all hold together. */
  total(): number
  /** What one client holds. */
  of(client: string): number
}

/**
 * Nothing held. Whoever goes beyond what one client may hold loses the heaviest of what it has; where all together hold too
 * much, whoever holds the most loses it, whoever came last. What is alone may be of any weight.
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
  /** Takes the heaviest from a client, unless it turns out to be lighter than it was. */
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
