/** Who wants to hear of which URIs. */
export interface Watchers {
  /** Whether somebody wants to hear of a URI. */
  has(uri: string): boolean
  /**
   * Counts somebody in for some URIs, or for all.
   *
   * @returns Counts them out.
   */
  add(uris: readonly string[] | "all"): () => void
}

/** Stands for every URI; no URI is empty. */
const ALL = ""

/** Nobody yet. */
export function createWatchers(): Watchers {
  const counts = new Map<string, number>()
  const count = (uri: string, by: 1 | -1): void => {
    const now = (counts.get(uri) ?? 0) + by
    if (now > 0) counts.set(uri, now)
    else counts.delete(uri)
  }
  return {
    has: (uri) => counts.has(uri) || counts.has(ALL),
    add(uris) {
      const wanted = uris === "all" ? [ALL] : [...new Set(uris)]
      for (const uri of wanted) count(uri, 1)
      return () => {
        for (const uri of wanted) count(uri, -1)
      }
    },
  }
}
