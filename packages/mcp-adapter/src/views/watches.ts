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
  /** The URI that the reader asked for; another than the state's own where it is the one that the state has elsewhere. */
  readonly asked: string
  /** The state's own URI. */
  uri: string
  /** Ends what the service holds for it. */
  stop: () => void
  /** Counts the reader out. */
  leave: () => void
}

/** What watches need of their view. */
interface WatchesOptions {
  /** Finds states by any of their URIs. */
  readonly catalogue: Pick<Catalogue, "state">
  /** Counts a reader in for canonical URIs. */
  readonly watch: View["watch"]
  /** Told that a reader has come to watch another state, whose value it does not know. */
  readonly moved: (uri: string) => void
}

/** Creates the watches of one view. */
export function createWatches({ catalogue, watch, moved }: WatchesOptions): Watches {
  const byUri = new Map<string, Set<Watched>>()
  /** Those that were asked for by another URI, which may come to stand for another state. */
  const byAlias = new Set<Watched>()
  const enter = (watched: Watched): void => {
    const others = byUri.get(watched.uri) ?? new Set()
    byUri.set(watched.uri, others.add(watched))
    watched.leave = watch([watched.uri])
    if (watched.asked !== watched.uri) byAlias.add(watched)
  }
  const exit = (watched: Watched): void => {
    const others = byUri.get(watched.uri)
    others?.delete(watched)
    if (others?.size === 0) byUri.delete(watched.uri)
    byAlias.delete(watched)
    watched.leave()
  }
  const begin = (asked: string): Watched => {
    const entry = catalogue.state(asked)
    const watched: Watched = { asked, uri: entry?.uri ?? asked, stop: startRemote(entry), leave: () => undefined }
    enter(watched)
    return watched
  }
  /** Follows a URI to the state that it stands for now; where there is none, it stays where it was. */
  const follow = (watched: Watched): void => {
    const entry = catalogue.state(watched.asked)
    if (entry === undefined || entry.uri === watched.uri) return
    exit(watched)
    watched.uri = entry.uri
    enter(watched)
    // Whoever watches it knows the value of the former.
    moved(entry.uri)
    moveTo(watched, entry)
  }
  return {
    watch(uris) {
      if (uris === "all") return watch(uris)
      const all = uris.map(begin)
      return once(() => {
        for (const watched of all) {
          watched.stop()
          exit(watched)
        }
      })
    },
    renew(changes) {
      if (byUri.size === 0 || changes.size === 0) return
      for (const watched of [...byAlias]) follow(watched)
      for (const [uri, { after }] of changes) for (const watched of byUri.get(uri) ?? []) moveTo(watched, after)
    },
    close() {
      for (const all of byUri.values()) for (const watched of all) watched.stop()
      byUri.clear()
      byAlias.clear()
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
