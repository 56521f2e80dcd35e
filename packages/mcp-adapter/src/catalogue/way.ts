import type { AgenticService } from "@x/agentic-service"
import { composeThing, durableThingOf, thingOf } from "@x/agentic-service/adapter"
import type { Path } from "../names/path.js"
import type { Place } from "./graph.js"

/** The things on the way of a path: the root's, and that of each service the links lead to. Consent is bound to all of them. */
export interface Way {
  /** Their identities in this process, the root's first. */
  readonly things: readonly string[]
  /**
   * The identities that hold in every process, as one: author's ids, and in place of a missing one the path itself where no other
   * service can take that place, which is at the root and behind a fixed link. `undefined` where one of them may be another
   * thing elsewhere.
   */
  readonly durable: string | undefined
}

/**
 * Follows a path of links from `root` as they are now.
 *
 * @param isFixed - Whether a link always leads to the same service.
 * @returns `undefined` where the path leads nowhere.
 */
export function followWay(
  root: Place<AgenticService>,
  path: Path,
  isFixed: (place: Place<AgenticService>, key: string) => boolean,
): Way | undefined {
  let place = root
  const things = [thingOf(root.service)]
  const durable: (string | undefined)[] = [durableOf(root.service, "")]
  for (const key of path) {
    const edge = place.links.get(key)
    if (edge === undefined) return undefined
    things.push(thingOf(edge.to.service))
    durable.push(isFixed(place, key) ? durableOf(edge.to.service, key) : durableThingOf(edge.to.service))
    place = edge.to
  }
  return { things, durable: composeDurable(durable) }
}

/** A service held elsewhere is as old as its connection, whatever link leads to it. */
function durableOf(service: AgenticService, key: string): string | undefined {
  if (service.occupancy !== undefined) return undefined
  return durableThingOf(service) ?? composeThing("at", key)
}

function composeDurable(parts: readonly (string | undefined)[]): string | undefined {
  const known = parts.filter((part) => part !== undefined)
  return known.length === parts.length ? composeThing(...known) : undefined
}
