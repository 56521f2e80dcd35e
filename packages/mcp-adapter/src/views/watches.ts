import type { CatalogueChange } from "../catalogue/diff.js"
import type { StateEntry } from "../catalogue/entry.js"
import { once } from "../runtime/host.js"
import type { View } from "./view.js"

/**
 * States that readers watch, with the watches that services hold for remote values. A reader keeps the URI that it asked for:
 * where the state is listed under another URI by now, the reader hears of it under its own.
 */
export interface Watches {
  /** Registers a reader of some URIs, or of all; see {@link View.watch}. */
  readonly watch: View["watch"]
  /** Returns the URIs under which a state may be watched: its own, that of its origin, and those that readers asked for. */
  urisOf(entry: StateEntry): Iterable<string>
  /** Moves watches to the states that their URIs stand for now. */
  renew(change: Pick<CatalogueChange, "states" | "links">): void
  /** Ends every watch that a service holds. */
  close(): void
}

/** One state watched by one reader. */
interface Watched {
  /** The requested URI. */
  readonly asked: string
  /** The state that the URI stands for now. */
  at: StateEntry | undefined
  /** Ends the service's watch. */
  stop: () => void
}

/** Options of watches. */
interface WatchesOptions {
  /** Finds visible states by any of their URIs. */
  readonly find: View["state"]
  /** Registers a reader of exactly these URIs. */
  readonly watch: View["watch"]
  /** Called when a watched URI may stand for another value. */
  readonly changed: (uri: string) => void
  /** Called when a watched URI stands for no state any more. */
  readonly gone: (uri: string) => void
}

/** Creates the watches of one view. */
export function createWatches({ find, watch, changed, gone }: WatchesOptions): Watches {
  const byUri = new Map<string, Set<Watched>>()
  /** Watches of URIs that are not their state's own, so that any change of links may lead them elsewhere. */
  const loose = new Set<Watched>()
  const enter = (watched: Watched): void => {
    const uri = watched.at?.uri ?? watched.asked
    byUri.set(uri, (byUri.get(uri) ?? new Set()).add(watched))
    if (watched.at?.uri !== watched.asked) loose.add(watched)
  }
  const exit = (watched: Watched): void => {
    const uri = watched.at?.uri ?? watched.asked
    const others = byUri.get(uri)
    others?.delete(watched)
    if (others?.size === 0) byUri.delete(uri)
    loose.delete(watched)
  }
  const begin = (asked: string): Watched => {
    const at = find(asked)
    const watched: Watched = { asked, at, stop: startRemote(at) }
    enter(watched)
    return watched
  }
  /** Follows a URI to its current state. */
  const follow = (watched: Watched): void => {
    const { asked, at } = watched
    const now = find(asked)
    if (now === at) return
    exit(watched)
    watched.at = now
    enter(watched)
    moveTo(watched, now)
    if (now === undefined) gone(asked)
    else if (now.uri !== at?.uri) changed(asked)
  }
  return {
    watch(uris) {
      const unwatch = watch(uris)
      if (uris === "all") return unwatch
      const all = uris.map(begin)
      return once(() => {
        unwatch()
        for (const watched of all) {
          watched.stop()
          exit(watched)
        }
      })
    },
    *urisOf({ uri, alias }) {
      yield uri
      if (alias !== undefined) yield alias
      for (const { asked } of byUri.get(uri) ?? []) if (asked !== uri && asked !== alias) yield asked
    },
    renew({ states, links }) {
      if (states.size + links.size === 0) return
      // Readers of all URIs have no watch of their own.
      for (const [uri, { after }] of states) if (after === undefined && !byUri.has(uri)) gone(uri)
      const affected = [...states.keys()].flatMap((uri) => [...(byUri.get(uri) ?? [])])
      for (const watched of new Set([...loose, ...affected])) follow(watched)
    },
    close() {
      for (const all of byUri.values()) for (const watched of all) watched.stop()
      byUri.clear()
      loose.clear()
    },
  }
}

/** Starts the new watch before it ends the old one, so that a service which holds both continues without a gap. */
function moveTo(watched: Watched, after: StateEntry | undefined): void {
  const before = watched.stop
  watched.stop = startRemote(after)
  before()
}

function startRemote(entry: StateEntry | undefined): () => void {
  return once(entry?.current()?.remote?.watch() ?? (() => undefined))
}
