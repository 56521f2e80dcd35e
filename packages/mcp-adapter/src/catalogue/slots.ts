/** The claims of each held key. */
export interface Slots<Listed> {
  /** The claims of a key; `undefined` when it is not held. */
  get(key: string): Listed[] | undefined
  /** Holds a key. */
  fill(key: string, claims: Listed[]): void
  /** Lets go of a key. */
  vacate(key: string): void
  /** How many keys are held. */
  size(): number
}

/**
 * Nothing held.
 *
 * A vacated key keeps its place until many have one. A `Map` that deletes and sets the same key again leaves a dead entry in
 * that key's chain each time, until its whole capacity is used up, and every look-up walks the chain: the more tools, the
 * dearer an action that comes and goes.
 */
export function createSlots<Listed>(): Slots<Listed> {
  const slots = new Map<string, Listed[] | undefined>()
  let vacant = 0
  const sweep = (): void => {
    for (const [key, claims] of slots) if (claims === undefined) slots.delete(key)
    vacant = 0
  }
  return {
    get: (key) => slots.get(key),
    fill(key, claims) {
      if (slots.get(key) === undefined && slots.has(key)) vacant -= 1
      slots.set(key, claims)
    },
    vacate(key) {
      slots.set(key, undefined)
      vacant += 1
      if (vacant > 100 && vacant > slots.size / 2) sweep()
    },
    size: () => slots.size - vacant,
  }
}
