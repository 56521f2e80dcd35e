import { comparePaths, type Path } from "../names/path.js"

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

/** A {@link Place} as the graph itself sees it. */
interface MutablePlace<Service> {
  readonly service: Service
  path: Path
  /** False while no path is known: before the first, and between losing one and finding another. */
  reached: boolean
  /** The link that the canonical path ends with. */
  via: MutableEdge<Service> | undefined
  readonly links: Map<string, MutableEdge<Service>>
  readonly incoming: Set<MutableEdge<Service>>
}

/** An edge as the graph itself sees it. */
interface MutableEdge<Service> {
  readonly from: MutablePlace<Service>
  readonly key: string
  readonly to: MutablePlace<Service>
}

/**
 * Finds the canonical paths again after some edges came and some went.
 *
 * Only what hung on a lost edge loses its path; it is then reached again from what kept its own, one
 * length at a time, so that the first path to arrive is the shortest, and, sorted, the alphabetically first.
 */
function repath<Service>(change: {
  readonly places: Map<Service, MutablePlace<Service>>
  readonly maxDepth: number
  readonly gained: readonly MutableEdge<Service>[]
  readonly lost: readonly MutablePlace<Service>[]
}): GraphChange<Service> {
  const before = new Map<MutablePlace<Service>, Path | undefined>()
  const candidates = createCandidates<Service>(change.maxDepth)
  for (const place of fall(change.lost, before)) place.incoming.forEach(candidates.offer)
  change.gained.forEach(candidates.offer)
  for (const { path, edge } of candidates.inOrder()) {
    const place = edge.to
    if (place.reached && comparePaths(place.path, path) <= 0) continue
    if (!before.has(place)) before.set(place, place.reached ? place.path : undefined)
    place.path = path
    place.reached = true
    place.via = edge
    place.links.forEach(candidates.offer)
  }
  return { ...collect(change.places, before), tooDeep: candidates.tooDeep() }
}

interface Candidate<Service> {
  readonly path: Path
  readonly edge: MutableEdge<Service>
}

/** Paths that may turn out canonical, by length. */
interface Candidates<Service> {
  /** Adds the path that ends with an edge, unless its end has a better one. */
  readonly offer: (edge: MutableEdge<Service>) => void
  /** The candidates, best first, those offered meanwhile included: a path is longer than the one that led to it. */
  inOrder(): Iterable<Candidate<Service>>
  /** The paths beyond the limit whose ends have no other. */
  tooDeep(): readonly Path[]
}

function createCandidates<Service>(maxDepth: number): Candidates<Service> {
  const levels: Candidate<Service>[][] = []
  const beyond: Candidate<Service>[] = []
  return {
    offer(edge) {
      if (!edge.from.reached) return
      const path = [...edge.from.path, edge.key]
      if (edge.to.reached && comparePaths(edge.to.path, path) <= 0) return
      const level = path.length > maxDepth ? beyond : (levels[path.length] ?? [])
      if (level !== beyond) levels[path.length] = level
      level.push({ path, edge })
    },
    *inOrder() {
      for (let length = 1; length < levels.length; length += 1) {
        const level = levels[length] ?? []
        yield* level.sort((a, b) => comparePaths(a.path, b.path))
      }
    },
    // A cycle is no news: only what has no shorter path is too deep.
    tooDeep: () => beyond.filter(({ edge }) => !edge.to.reached).map(({ path }) => path),
  }
}

/** Takes the path away from `lost` and from everything whose canonical path leads through it. */
function fall<Service>(
  lost: readonly MutablePlace<Service>[],
  before: Map<MutablePlace<Service>, Path | undefined>,
): Set<MutablePlace<Service>> {
  const fallen = new Set(lost)
  for (const place of fallen) {
    before.set(place, place.path)
    place.reached = false
    place.via = undefined
    for (const edge of place.links.values()) if (edge.to.via === edge) fallen.add(edge.to)
  }
  return fallen
}

/** Sorts the places that had, got or lost a path, and forgets those that ended without one. */
function collect<Service>(
  places: Map<Service, MutablePlace<Service>>,
  before: ReadonlyMap<MutablePlace<Service>, Path | undefined>,
): Omit<GraphChange<Service>, "tooDeep"> {
  const joined: MutablePlace<Service>[] = []
  const left: MutablePlace<Service>[] = []
  const moved: MutablePlace<Service>[] = []
  for (const [place, path] of before) {
    if (!place.reached) left.push(place)
    else if (path === undefined) joined.push(place)
    else if (comparePaths(path, place.path) !== 0) moved.push(place)
  }
  for (const place of left) {
    for (const edge of place.links.values()) {
      edge.to.incoming.delete(edge)
      forgetUnreached(places, edge.to)
    }
    place.links.clear()
    forgetUnreached(places, place)
  }
  return { joined, left, moved }
}

/** Forgets a place that nothing leads to. One beyond the depth limit keeps its edge, so that a shorter way finds it later. */
function forgetUnreached<Service>(places: Map<Service, MutablePlace<Service>>, place: MutablePlace<Service>): void {
  if (!place.reached && place.incoming.size === 0) places.delete(place.service)
}
