import type { Change } from "../catalogue/claims.js"
import type { Catalogue } from "../catalogue/create-catalogue.js"
import type { StateEntry } from "../catalogue/entry.js"
import { once } from "../runtime/host.js"
import type { View } from "./view.js"

/** The states that readers watch, and the watches that their services hold for them where values are held elsewhere. */
export interface Watches {
  /** Counts a reader in for some URIs, or for all; see {@link View.watch}. */
  readonly watch: View["watch"]
  /** Moves the watches of changed states to whatever stands behind their URIs now. */
  renew(changes: ReadonlyMap<string, Change<StateEntry>>): void
  /** Ends every watch that a service holds. */
  close(): void
}

/** One state that one reader watches. */
interface Watched {
  /** Ends what the service holds for it. */
  stop: () => void
}

/**
 * Creates the watches of one view.
 *
 * @param watch - Counts a reader in for canonical URIs.
 */
export function createWatches(
  { catalogue }: { readonly catalogue: Pick<Catalogue, "state"> },
  watch: View["watch"],
): Watches {
  const byUri = new Map<string, Set<Watched>>()
  const begin = (uri: string): (() => void) => {
    const watched: Watched = { stop: startRemote(catalogue.state(uri)) }
    const others = byUri.get(uri) ?? new Set()
    byUri.set(uri, others.add(watched))
    return () => {
      watched.stop()
      others.delete(watched)
      if (others.size === 0 && byUri.get(uri) === others) byUri.delete(uri)
    }
  }
  return {
    watch(uris) {
      if (uris === "all") return watch(uris)
      const canonical = uris.map((uri) => catalogue.state(uri)?.uri ?? uri)
      const ends = canonical.map(begin)
      const unwatch = watch(canonical)
      return once(() => {
        unwatch()
        for (const end of ends) end()
      })
    },
    renew(changes) {
      if (byUri.size === 0) return
      for (const [uri, { after }] of changes) for (const watched of byUri.get(uri) ?? []) moveTo(watched, after)
    },
    close() {
      for (const all of byUri.values()) for (const watched of all) watched.stop()
      byUri.clear()
    },
  }
}

/** Begins at the new thing before it ends at the old one: where both are held by one service, it goes on unbroken. */
function moveTo(watched: Watched, after: StateEntry | undefined): void {
  const before = watched.stop
  watched.stop = startRemote(after)
  before()
}

function startRemote(entry: StateEntry | undefined): () => void {
  return once(entry?.current()?.remote?.watch() ?? (() => undefined))
}
