import type { AgenticService } from "@x/agentic-service"
import { composeThing, durableThingOf, thingOf } from "@x/agentic-service/adapter"
import type { Path } from "../names/path.js"
import type { Place } from "./graph.js"

/** The service instances along a path: the root's, then one per link. Consent covers all of them. */
export interface Way {
  /** Their identities in this process, root first. */
  readonly things: readonly string[]
  /**
   * One identity for the whole path that holds in every process. It consists of authors' ids; at the root and behind fixed
   * links, where no other service can appear, the path itself replaces a missing id. `undefined` when any part may be another
   * service elsewhere. Composed on demand, because each call has a way and few need this.
   */
  durable(): string | undefined
}

/**
 * Follows a path of current links from `root`.
 *
 * @param isFixed - Whether a link always leads to the same service.
 * @returns `undefined` when the path leads nowhere.
 */
export function followWay(
  root: Place<AgenticService>,
  path: Path,
  isFixed: (place: Place<AgenticService>, key: string) => boolean,
): Way | undefined {
  const services = [root.service]
  const keys: (string | undefined)[] = [""]
  let place = root
  for (const key of path) {
    const edge = place.links.get(key)
    if (edge === undefined) return undefined
    services.push(edge.to.service)
    keys.push(isFixed(place, key) ? key : undefined)
    place = edge.to
  }
  return { things: services.map(thingOf), durable: () => composeDurable(services, keys) }
}

/**
 * Composes {@link Way.durable}.
 *
 * @param keys - The key of each service's link, if the link always leads to the same service.
 */
function composeDurable(
  services: readonly AgenticService[],
  keys: readonly (string | undefined)[],
): string | undefined {
  const parts: string[] = []
  for (const [index, service] of services.entries()) {
    const key = keys[index]
    // A remote service's identity ends with its connection, whatever link leads to it.
    const isFixed = key !== undefined && service.occupancy === undefined
    const part = durableThingOf(service) ?? (isFixed ? composeThing("at", key) : undefined)
    if (part === undefined) return undefined
    parts.push(part)
  }
  return composeThing(...parts)
}
