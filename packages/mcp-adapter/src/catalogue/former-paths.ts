import type { AgenticService } from "@x/agentic-service"
import { thingOf } from "@x/agentic-service/adapter"
import { formatPath, type Path } from "../names/path.js"
import type { Graph, Place } from "./graph.js"

/**
 * Former paths of services that are still linked elsewhere. A path is bound to the instance that it led to last: when that
 * instance is gone, its former paths lead nowhere.
 */
export interface FormerPaths extends Pick<Graph<AgenticService>, "setLinks" | "moveRoot"> {
  /** Records that a place's instance was replaced. */
  put(place: Place<AgenticService>): void
  /** Returns the place of the instance whose former path this is, wherever it is linked now. */
  find(path: Path): Place<AgenticService> | undefined
  /**
   * Returns the place at a path: by current links, each of which may also be the end of an instance's former path. A current
   * link precedes a former one.
   */
  at(path: Path): Place<AgenticService> | undefined
}

/**
 * Records the paths of a graph from its changes, which are made through the result.
 *
 * @param limit - The maximum of remembered paths; the oldest are forgotten first.
 */
export function createFormerPaths(graph: Graph<AgenticService>, limit: number): FormerPaths {
  const former = new Map<string, string>()
  const current = new Map<Place<AgenticService>, { readonly thing: string; readonly path: Path }>()
  const byThing = new Map<string, Set<Place<AgenticService>>>()
  const depart = (path: Path, thing: string): void => {
    // Updates in place, because deleting and setting a key repeatedly makes a `Map` slow for that key.
    former.set(formatPath(path), thing)
    const [oldest] = former.keys()
    if (former.size > limit && oldest !== undefined) former.delete(oldest)
  }
  const remove = (place: Place<AgenticService>): void => {
    const before = current.get(place)
    if (before === undefined) return
    depart(before.path, before.thing)
    current.delete(place)
    const alike = byThing.get(before.thing)
    alike?.delete(place)
    if (alike?.size === 0) byThing.delete(before.thing)
  }
  const put = (place: Place<AgenticService>): void => {
    const { path } = place
    const thing = thingOf(place.service)
    remove(place)
    current.set(place, { thing, path })
    byThing.set(thing, (byThing.get(thing) ?? new Set()).add(place))
  }
  const find = (path: Path): Place<AgenticService> | undefined => {
    const thing = former.get(formatPath(path))
    const [place] = (thing !== undefined && byThing.get(thing)) || []
    return place
  }
  put(graph.root)

  return {
    put,
    find,
    at(path) {
      let place: Place<AgenticService> | undefined = graph.root
      for (const [index, key] of path.entries()) place = place?.links.get(key)?.to ?? find(path.slice(0, index + 1))
      return place?.reached ? place : undefined
    },
    setLinks(place, links) {
      for (const [key, service] of links) {
        const before = place.links.get(key)?.to.service
        if (before !== undefined && before !== service) depart([...place.path, key], thingOf(before))
      }
      const change = graph.setLinks(place, links)
      for (const left of change.left) remove(left)
      for (const each of [...change.moved, ...change.joined]) put(each)
      return change
    },
    moveRoot(path, service) {
      remove(graph.root)
      graph.moveRoot(path, service)
      put(graph.root)
    },
  }
}
