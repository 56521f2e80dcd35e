import type { Feed } from "@x/agentic-service/adapter"

/** One map of a mirrored service: what was told of each member, and the member made of it. */
export interface MirrorItems<Raw, Item> {
  /** What a service is made of. */
  readonly feed: Feed<Item>
  /** Takes in what there is now. */
  update(raws: ReadonlyMap<string, Raw>, news: News): void
  /** Hides all of them, or shows them again. */
  setHidden(hidden: boolean): void
  /** Has what is declared looked at again by those who follow. */
  look(): void
  /** Whether there is one of that key, and it is not hidden. */
  has(key: string): boolean
  /** What was told of those there are, hidden or not. */
  raws(): readonly (readonly [string, Raw])[]
}

/** What is new about a map. */
interface News {
  /** Whether it is known what there is. */
  readonly spoken: boolean
  /** The keys whose members are new; `undefined` where all were told again, and may say the same as before. */
  readonly keys: ReadonlySet<string> | undefined
}

/** How members are made. */
interface Making<Raw, Item> {
  /** Makes one; `undefined` where it cannot be there yet. */
  make(key: string, raw: Raw): Item | undefined
  /** Whether a member that was told again says the same. */
  same(before: Raw, after: Raw, item: Item | undefined): boolean
}

/** No members yet. */
export function createMirrorItems<Raw, Item>({ make, same }: Making<Raw, Item>): MirrorItems<Raw, Item> {
  const known = new Map<string, { readonly raw: Raw; readonly item: Item | undefined }>()
  let spoken = false
  let hidden = false
  let changed: ((keys?: readonly string[]) => void) | undefined

  /** @returns Whether it is another than before. */
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
