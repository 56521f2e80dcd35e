import type { Feed } from "@x/agentic-service/adapter"

/** One map of a mirrored service: each member as received, and the member made from it. */
export interface MirrorItems<Raw, Item> {
  /** The feed behind the created service. */
  readonly feed: Feed<Item>
  /** Applies the received members. */
  update(raws: ReadonlyMap<string, Raw>, news: News): void
  /** Hides all members, or shows them again. */
  setHidden(hidden: boolean): void
  /** Notifies followers that declarations may have changed. */
  look(): void
  /** Whether a visible member has that key. */
  has(key: string): boolean
  /** Returns the received members, hidden or not. */
  raws(): readonly (readonly [string, Raw])[]
}

/** The changes of a map. */
interface News {
  /** Whether the map has emitted. */
  readonly spoken: boolean
  /** The keys of changed members; `undefined` after a new snapshot, whose members may be unchanged. */
  readonly keys: ReadonlySet<string> | undefined
}

/** The functions that make and compare members. */
interface Making<Raw, Item> {
  /** Makes a member. Returns `undefined` if it cannot exist yet. */
  make(key: string, raw: Raw): Item | undefined
  /** Whether a member is unchanged after it was received again. */
  same(before: Raw, after: Raw, item: Item | undefined): boolean
}

/** Creates a map without members. */
export function createMirrorItems<Raw, Item>({ make, same }: Making<Raw, Item>): MirrorItems<Raw, Item> {
  const known = new Map<string, { readonly raw: Raw; readonly item: Item | undefined }>()
  let spoken = false
  let hidden = false
  let changed: ((keys?: readonly string[]) => void) | undefined

  /** @returns Whether the member has changed. */
  const put = (key: string, raw: Raw | undefined, again: boolean): boolean => {
    const before = known.get(key)
    if (raw === undefined) return known.delete(key)
    if (before !== undefined && again && same(before.raw, raw, before.item)) {
      known.set(key, { raw, item: before.item })
      return false
    }
    known.set(key, { raw, item: make(key, raw) })
    return true
  }

  return {
    feed: {
      connect(tell) {
        changed = tell
        return () => {
          changed = undefined
        }
      },
      spoken: () => spoken,
      find: (key) => (hidden ? undefined : known.get(key)?.item),
      keys: () => (hidden ? [] : known.keys()),
    },
    update(raws, { spoken: speaks, keys }) {
      const candidates = keys ?? new Set([...known.keys(), ...raws.keys()])
      const news = [...candidates].filter((key) => put(key, raws.get(key), keys === undefined))
      const first = speaks && !spoken
      spoken ||= speaks
      if (!hidden && (first || news.length > 0)) changed?.(news)
    },
    setHidden(next) {
      if (next === hidden) return
      hidden = next
      changed?.([...known.keys()])
    },
    look: () => changed?.(),
    has: (key) => !hidden && known.get(key)?.item !== undefined,
    raws: () => [...known].map(([key, { raw }]) => [key, raw]),
  }
}
