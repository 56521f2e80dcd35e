import type { AgenticService } from "@x/agentic-service"
import { parseResourceUri } from "@x/mcp-adapter/binding"
import equal from "fast-deep-equal"
import { catchError, combineLatest, map, merge, type Observable, of, startWith, switchMap } from "rxjs"
import { type Peer, type PeerChange, peerOf } from "./peer-of.js"

/** A server's place in the graph of services. */
export interface Placed {
  /** The link keys leading there. */
  readonly path: readonly string[]
  /** The server. */
  readonly peer: Peer
}

/**
 * Emits the servers in a graph of services, and again on every change of that set. Each service is walked once per path, cycles
 * excluded.
 */
export function findPeers(
  service: AgenticService,
  path: readonly string[],
  above: ReadonlySet<AgenticService>,
): Observable<readonly Placed[]> {
  if (above.has(service) || path.length > 16) return of([])
  const peer = peerOf(service)
  const own: readonly Placed[] = peer === undefined ? [] : [{ path, peer }]
  const within = new Set(above).add(service)
  return service.links.pipe(
    startWith({}),
    switchMap((links) => {
      const below = Object.entries(links).map(([key, link]) => findPeers(link.service, [...path, key], within))
      return below.length === 0 ? of([]) : combineLatest(below)
    }),
    map((below) => [...own, ...below.flat()]),
    // A hand-written service may error; its links are then dropped.
    catchError(() => of(own)),
  )
}

/** A set of servers with the newest change announced. */
export interface Heard {
  /** The servers. */
  readonly peers: readonly Placed[]
  /** The change and its server; absent when the set itself has changed. */
  readonly told?: { readonly peer: Peer; readonly change: PeerChange }
}

/** Emits a set of servers, and again on each change that one of them announces. */
export function withChanges(peers: readonly Placed[]): Observable<Heard> {
  const told = peers.map(({ peer }) => peer.changes.pipe(map((change) => ({ peers, told: { peer, change } }))))
  return merge(of({ peers }), ...told)
}

/** A server's resource, with the server's own URI. */
export interface Located {
  /** The server and its place. */
  readonly at: Placed
  /** The server's own URI. */
  readonly there: string
}

/**
 * Finds the resource that a client means by a URI. Our URIs name the server and its own URI. A server's own URI works as well
 * if no other server has it. At the root, a server's own URIs are ours.
 */
export function locate(placed: readonly Placed[], uri: string, serverName: string): Located | undefined {
  const ours = parseResourceUri(serverName, uri)
  const at = ours && placed.find(({ path, peer }) => equal(path, ours.path) && peer.claims(ours.key))
  if (ours !== undefined && at !== undefined) return { at, there: ours.key }
  const [only, ...others] = claimantsOf(placed, uri)
  return only === undefined || others.length > 0 ? undefined : { at: only, there: uri }
}

/** Returns the servers that a server's own URI may belong to. A server at the root keeps its URIs. */
export function claimantsOf(placed: readonly Placed[], uri: string): readonly Placed[] {
  const claimants = placed.filter(({ peer }) => peer.claims(uri))
  const root = claimants.find(({ path }) => path.length === 0)
  return root === undefined ? claimants : [root]
}

/** The resources that clients follow, on whichever server has them now. */
export interface Watches {
  /** Starts following a resource. Returns an idempotent function that stops it. */
  begin(uri: string, find: (placed: readonly Placed[]) => Located | undefined): () => void
  /** Moves to a new set of servers. */
  renew(placed: readonly Placed[]): void
  /** Returns the URIs by which clients follow a resource of a server. */
  urisOf(peer: Peer, there: string): ReadonlySet<string>
  /** Stops following all resources. */
  close(): void
}

interface Watch {
  readonly uri: string
  readonly find: (placed: readonly Placed[]) => Located | undefined
  located: Located | undefined
  thing: string | undefined
  stop: () => void
}

/** Creates an empty set of watches. */
export function createWatches(): Watches {
  const watches = new Set<Watch>()
  let placed: readonly Placed[] = []
  const attach = (watch: Watch): void => {
    const found = watch.find(placed)
    const thing = found?.at.peer.thing()
    const same = found?.at.peer === watch.located?.at.peer && found?.there === watch.located?.there
    if (same && thing === watch.thing) return
    const before = watch.stop
    watch.located = found
    watch.thing = thing
    watch.stop = found === undefined ? () => undefined : found.at.peer.follow(found.there)
    before()
  }
  return {
    begin(uri, find) {
      const watch: Watch = { uri, find, located: undefined, thing: undefined, stop: () => undefined }
      watches.add(watch)
      attach(watch)
      return () => {
        if (watches.delete(watch)) watch.stop()
      }
    },
    renew(now) {
      placed = now
      for (const watch of watches) attach(watch)
    },
    urisOf: (peer, there) =>
      new Set(
        [...watches]
          .filter(({ located }) => located?.at.peer === peer && located.there === there)
          .map(({ uri }) => uri),
      ),
    close() {
      for (const { stop } of watches) stop()
      watches.clear()
    },
  }
}
