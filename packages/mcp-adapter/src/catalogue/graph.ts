import type { Path } from "../names/path.js"
import type { MutableEdge, MutablePlace } from "./mutable-place.js"
import { forgetUnreached, repath } from "./repath.js"

/** A service's place in the graph. The same object for as long as the service can be reached. */
export interface Place<Service> {
  /** The service; one place each, however many links lead to it. */
  readonly service: Service
  /** The canonical path: the shortest, then the alphabetically first. Means nothing unless `reached`. */
  readonly path: Path
  /** Whether a path of links leads here; `false` for what is only linked from beyond the depth limit. */
  readonly reached: boolean
  /** The links that lead away, by key. */
  readonly links: ReadonlyMap<string, Edge<Service>>
  /** The links that lead here. */
  readonly incoming: ReadonlySet<Edge<Service>>
}

/** One link between two places. */
export interface Edge<Service> {
  /** Where it starts. */
  readonly from: Place<Service>
  /** Its key there. */
  readonly key: string
  /** Where it leads. */
  readonly to: Place<Service>
}

/** What one change of links did to the graph. */
export interface GraphChange<Service> {
  /** Places that can be reached now and could not before. */
  readonly joined: readonly Place<Service>[]
  /** Places that cannot be reached any more; forgotten by the graph. */
  readonly left: readonly Place<Service>[]
  /** Places that stayed and have another canonical path. */
  readonly moved: readonly Place<Service>[]
  /** Links not followed because they would lead deeper than the limit. */
  readonly tooDeep: readonly Path[]
}

/** Services and the links between them, walked by identity: a cycle ends, a service reached twice is one place. */
export interface Graph<Service> {
  /** The place everything is reached from. Its path is empty unless the graph was made with another. */
  readonly root: Place<Service>
  /** Every place that can be reached. */
  places(): Iterable<Place<Service>>
  /** The place a path leads to, through the links as they are now, aliases included. */
  at(path: Path): Place<Service> | undefined
  /** Replaces the links of one place. Costs what the change touches, never what the graph holds. */
  setLinks(place: Place<Service>, links: ReadonlyMap<string, Service>): GraphChange<Service>
  /** Gives the root another path. Only for a root that stands alone: the paths of other places stay as they are. */
  moveRoot(path: Path): void
}

/**
 * A graph that holds only `root`.
 *
 * @param maxDepth - The longest path followed; links beyond it are left out.
 * @param rootPath - Where the root stands in a larger graph.
 */
export function createGraph<Service>(root: Service, maxDepth: number, rootPath: Path = []): Graph<Service> {
  const places = new Map<Service, MutablePlace<Service>>()
  const rootPlace = createPlace(root)
  rootPlace.reached = true
  rootPlace.path = rootPath
  places.set(root, rootPlace)

  return {
    root: rootPlace,
    *places() {
      for (const place of places.values()) if (place.reached) yield place
    },
    at(path) {
      let place: MutablePlace<Service> | undefined = rootPlace
      for (const key of path) place = place?.links.get(key)?.to
      return place?.reached ? place : undefined
    },
    setLinks(place, links) {
      const changed = places.get(place.service)
      if (changed === undefined) return { joined: [], left: [], moved: [], tooDeep: [] }
      const { gained, lost } = relink({ places, place: changed, links })
      return repath({ places, maxDepth, gained, lost })
    },
    moveRoot(path) {
      rootPlace.path = path
    },
  }
}

/** Brings the edges of one place in line with `links`, and says which came and which places lost their path. */
function relink<Service>(change: {
  readonly places: Map<Service, MutablePlace<Service>>
  readonly place: MutablePlace<Service>
  readonly links: ReadonlyMap<string, Service>
}): { gained: MutableEdge<Service>[]; lost: MutablePlace<Service>[] } {
  const { places, place, links } = change
  const gained: MutableEdge<Service>[] = []
  const lost: MutablePlace<Service>[] = []
  for (const edge of [...place.links.values()]) {
    if (links.get(edge.key) === edge.to.service) continue
    place.links.delete(edge.key)
    edge.to.incoming.delete(edge)
    if (edge.to.via === edge) lost.push(edge.to)
    forgetUnreached(places, edge.to)
  }
  for (const [key, service] of links) {
    if (place.links.has(key)) continue
    const to = places.get(service) ?? createPlace(service)
    places.set(service, to)
    const edge = { from: place, key, to }
    place.links.set(key, edge)
    to.incoming.add(edge)
    gained.push(edge)
  }
  return { gained, lost }
}

function createPlace<Service>(service: Service): MutablePlace<Service> {
  return { service, path: [], reached: false, via: undefined, links: new Map(), incoming: new Set() }
}
