/** What a live map holds: entries by key, all its own, so that `constructor` and `__proto__` are plain keys. */
export type Entries<Item> = Readonly<Record<string, Item>>

/** Where a live map gets its entries from. */
export interface Feed<Item> {
  /**
   * Subscribes every source.
   *
   * @param changed - To be called whenever {@link Feed.read} would answer something new, also before this returns.
   * @returns What lets go of the sources; must not throw.
   */
  connect(changed: () => void): () => void
  /** The map as it is now: the same object for as long as nothing changed. Only asked while connected. */
  read(): Entries<Item>
}

/** A map without entries and without inherited keys. */
export function emptyEntries<Item>(): Record<string, Item> {
  return Object.create(null)
}
