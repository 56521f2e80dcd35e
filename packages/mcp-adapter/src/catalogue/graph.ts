import { comparePaths, type Path } from "../names/path.js"

/** A service's place in the graph. The object stays the same while the service is reachable. */
export interface Place<Service> {
  /** The service. It has one place, however many links lead to it. */
  readonly service: Service
  /** The canonical path: the shortest, then the alphabetically first. Only valid when `reached`. */
  readonly path: Path
  /** Whether a path of links leads here. False for services linked only from beyond the depth limit. */
  readonly reached: boolean
  /** Outgoing links, by key. */
  readonly links: ReadonlyMap<string, Edge<Service>>
  /** Incoming links. */
  readonly incoming: ReadonlySet<Edge<Service>>
}

/** A link between two places. */
export interface Edge<Service> {
  /** The link's origin. */
  readonly from: Place<Service>
  /** The link's key there. */
  readonly key: string
  /** The link's destination. */
  readonly to: Place<Service>
}

/** Effects of changed links on the graph. */
export interface GraphChange<Service> {
  /** Newly reachable places. */
  readonly joined: readonly Place<Service>[]
  /** Places that are no longer reachable; the graph has dropped them. */
  readonly left: readonly Place<Service>[]
  /** Remaining places with another canonical path. */
  readonly moved: readonly Place<Service>[]
  /** Links beyond the depth limit, which are not followed. */
  readonly tooDeep: readonly Path[]
}

/** Services and their links, identified by object: a cycle ends, and a service reached twice is one place. */
export interface Graph<Service> {
  /** The starting place. Its path is empty unless another was given. */
  readonly root: Place<Service>
  /** Returns every reachable place. */
  places(): Iterable<Place<Service>>
  /** Returns the place at a path, following current links, aliases included. */
  at(path: Path): Place<Service> | undefined
  /**
   * Changes some of a place's links: each given key leads to a service, or nowhere. The cost depends on the given keys, never on
   * the graph's size.
   */
  setLinks(place: Place<Service>, links: ReadonlyMap<string, Service | undefined>): GraphChange<Service>
  /**
   * Changes the root's path, or puts another service in its place. Only for a graph without links: paths of other places stay as
   * they are.
   */
  moveRoot(path: Path, service: Service): void
}

/**
 * Creates a graph with only `root`.
 *
 * @param maxDepth - The longest followed path; links beyond it are left out.
 * @param rootPath - The root's path in a larger graph.
 */
export function createGraph<Service>(root: Service, maxDepth: number, rootPath: Path = []): Graph<Service> {
  const places = new Map<Service, MutablePlace<Service>>()
  let rootPlace = createRoot(root, rootPath)
  places.set(root, rootPlace)

  return {
    get root() {
      return rootPlace
    },
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
    moveRoot(path, service) {
      rootPlace.path = path
      if (service === rootPlace.service) return
      places.delete(rootPlace.service)
      rootPlace = createRoot(service, path)
      places.set(service, rootPlace)
    },
  }
}

function createRoot<Service>(service: Service, path: Path): MutablePlace<Service> {
  return { ...createPlace(service), reached: true, path }
}

/** Updates a place's edges of the given keys. Returns the new edges and the places that lost their path. */
function relink<Service>(change: {
  readonly places: Map<Service, MutablePlace<Service>>
  readonly place: MutablePlace<Service>
  readonly links: ReadonlyMap<string, Service | undefined>
}): { gained: MutableEdge<Service>[]; lost: MutablePlace<Service>[] } {
  const { places, place, links } = change
  const gained: MutableEdge<Service>[] = []
  const lost: MutablePlace<Service>[] = []
  for (const [key, service] of links) {
    const edge = place.links.get(key)
    if (edge === undefined || edge.to.service === service) continue
    place.links.delete(edge.key)
    edge.to.incoming.delete(edge)
    if (edge.to.via === edge) lost.push(edge.to)
    forgetUnreached(places, edge.to)
  }
  for (const [key, service] of links) {
    if (service === undefined || place.links.has(key)) continue
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

/** A {@link Place} with the graph's own fields. */
interface MutablePlace<Service> {
  readonly service: Service
  path: Path
  /** False while no path is known: initially, and between losing one and finding another. */
  reached: boolean
  /** The last link of the canonical path. */
  via: MutableEdge<Service> | undefined
  readonly links: Map<string, MutableEdge<Service>>
  readonly incoming: Set<MutableEdge<Service>>
}

/** An edge with the graph's own fields. */
interface MutableEdge<Service> {
  readonly from: MutablePlace<Service>
  readonly key: string
  readonly to: MutablePlace<Service>
}

/**
 * Recomputes canonical paths after edges were added and removed.
 *
 * Only places behind a lost edge lose their path. They are then reached again from places that kept theirs, in order of length,
 * so the first path to arrive is the shortest and, by sorting, the alphabetically first.
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

/** Possible canonical paths, by length. */
interface Candidates<Service> {
  /** Adds the path that ends with an edge, unless its destination has a better one. */
  readonly offer: (edge: MutableEdge<Service>) => void
  /** Returns candidates, best first, including those added meanwhile: each path is longer than its predecessor's. */
  inOrder(): Iterable<Candidate<Service>>
  /** Returns paths beyond the limit whose destinations have no other path. */
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
    // Cycles are not reported: only a place without a shorter path is too deep.
    tooDeep: () => beyond.filter(({ edge }) => !edge.to.reached).map(({ path }) => path),
  }
}

/** Removes the path of `lost` places, and of everything whose canonical path leads through them. */
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

/** Sorts places that had, got or lost a path, and drops those left without one. */
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

/**
 * Drops a place without incoming links. A place beyond the depth limit keeps its edge, so that a shorter path can find it
 * later.
 */
function forgetUnreached<Service>(places: Map<Service, MutablePlace<Service>>, place: MutablePlace<Service>): void {
  if (!place.reached && place.incoming.size === 0) places.delete(place.service)
}
