/** What is held under keys that come and go. */
export interface Slots<Held, Key = string> {
  /** What is held under a key, if anything. */
  get(key: Key): Held | undefined
  /** Holds something under a key. */
  fill(key: Key, held: Held): void
  /** Lets go of a key. */
  vacate(key: Key): void
  /** How many keys are held. */
  size(): number
  /** All that is held. */
  all(): Iterable<readonly [Key, Held]>
}

/**
 * Nothing held.
 *
 * A vacated key keeps its place until many have one. A `Map` that deletes and sets the same key again leaves a dead entry in
 * that key's chain each time, until its whole capacity is used up, and every look-up walks the chain: the more tools, the
 * dearer an action that comes and goes. It also makes a new table at nearly each deletion, and each keeps the next, with what is
 * in it, until a whole collection: of one call after the other, all.
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

/** What is there for a while, each thing once. */
export interface Roster<Item> {
  /**
   * Takes something in.
   *
   * @returns Lets go of it; idempotent.
   */
  add(item: Item): () => void
  /** All that is there, in no order. */
  all(): readonly Item[]
}

/** Nobody there. A `Set` would do, but for its tables; see {@link createSlots}. */
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
