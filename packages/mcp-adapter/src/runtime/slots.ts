/** Values held under keys that come and go. */
export interface Slots<Held, Key = string> {
  /** Returns the value of a key, if any. */
  get(key: Key): Held | undefined
  /** Sets the value of a key. */
  fill(key: Key, held: Held): void
  /** Clears a key. */
  vacate(key: Key): void
  /** Returns the number of keys with a value. */
  size(): number
  /** Returns all keys and values. */
  all(): Iterable<readonly [Key, Held]>
}

/**
 * Creates empty slots.
 *
 * A cleared key keeps its place until many are cleared. A `Map` that repeatedly deletes and sets the same key leaves a dead
 * entry in the key's hash chain each time, until its capacity is used up, and every look-up walks that chain: with more tools,
 * an action that comes and goes costs more. A `Map` also allocates a new table at almost every deletion, and each old table
 * retains the next one, with its values, until a full garbage collection.
 */
export function createSlots<Held extends object, Key = string>(): Slots<Held, Key> {
  const slots = new Map<Key, Held | undefined>()
  let vacant = 0
  const sweep = (): void => {
    for (const [key, held] of slots) if (held === undefined) slots.delete(key)
    vacant = 0
  }
  return {
    get: (key) => slots.get(key),
    fill(key, held) {
      if (slots.get(key) === undefined && slots.has(key)) vacant -= 1
      slots.set(key, held)
    },
    vacate(key) {
      if (slots.get(key) === undefined) return
      slots.set(key, undefined)
      vacant += 1
      if (vacant > 100 && vacant > slots.size / 2) sweep()
    },
    size: () => slots.size - vacant,
    *all() {
      for (const [key, held] of slots) if (held !== undefined) yield [key, held]
    },
  }
}

/** A collection whose items come and go; each `add` counts separately. */
export interface Roster<Item> {
  /**
   * Adds an item.
   *
   * @returns Removes it; idempotent.
   */
  add(item: Item): () => void
  /** Returns all items, in no particular order. */
  all(): readonly Item[]
}

/** Creates an empty roster. Used instead of `Set`, which reallocates its table on deletion; see {@link createSlots}. */
export function createRoster<Item>(): Roster<Item> {
  const places: { readonly item: Item; at: number }[] = []
  return {
    add(item) {
      const place = { item, at: places.length }
      places.push(place)
      return () => {
        if (places[place.at] !== place) return
        const last = places.pop()
        if (last === undefined || last === place) return
        places[place.at] = last
        last.at = place.at
        place.at = -1
      }
    },
    all: () => places.map(({ item }) => item),
  }
}
