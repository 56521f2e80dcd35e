import { comparePaths, type Path } from "../names/path.js"
import type { GraphChange } from "./graph.js"
import type { MutableEdge, MutablePlace } from "./mutable-place.js"

/**
 * Finds the canonical paths again after some edges came and some went.
 *
 * Only what hung on a lost edge loses its path; it is then reached again from what kept its own, one
 * length at a time, so that the first path to arrive is the shortest, and, sorted, the alphabetically first.
 */
export function repath<Service>(change: {
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
export function forgetUnreached<Service>(
  places: Map<Service, MutablePlace<Service>>,
  place: MutablePlace<Service>,
): void {
  if (!place.reached && place.incoming.size === 0) places.delete(place.service)
}
