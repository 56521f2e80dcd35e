import type { AgenticService, Link } from "@x/agentic-service"
import { thingOf } from "@x/agentic-service/adapter"
import type { Report } from "../runtime/diagnostic.js"
import type { Claims } from "./claims.js"
import { type LinkEntry, sameEntry } from "./entry.js"
import type { Edge, GraphChange, Place } from "./graph.js"

/** Entries of the graph's links. */
export interface LinkEntries {
  /**
   * Updates the entries after some links of `place` changed the graph.
   *
   * @param links - The changed links, by key.
   */
  refresh(
    place: Place<AgenticService>,
    links: ReadonlyMap<string, Link | undefined>,
    change: GraphChange<AgenticService>,
  ): void
  /** Recreates the entries of links to a place whose service instance was replaced. */
  renew(place: Place<AgenticService>): void
  /** Checks whether a place's link always leads to the same service. */
  isFixed(place: Place<AgenticService>, key: string): boolean
  /** Removes the entries of a dropped place. */
  remove(place: Place<AgenticService>): void
}

/** A place's links and their entries, by key. */
interface Linked {
  readonly links: Map<string, Link>
  readonly entries: Map<string, LinkEntry>
}

/** Creates the entries of a graph without links. */
export function createLinkEntries(claims: Claims<LinkEntry>): LinkEntries {
  const all = new Map<Place<AgenticService>, Linked>()

  const refreshKey = (place: Place<AgenticService>, key: string): void => {
    const linked = all.get(place)
    if (linked === undefined) return
    const { links, entries } = linked
    const edge = place.links.get(key)
    const before = entries.get(key)
    const after = edge?.to.reached ? keep(before, toEntry(edge, links.get(key))) : undefined
    if (before === after) return
    if (before !== undefined) claims.remove(before)
    if (after === undefined) entries.delete(key)
    else {
      entries.set(key, after)
      claims.add(after)
    }
  }
  const refreshIncoming = (place: Place<AgenticService>): void => {
    for (const { from, key } of place.incoming) refreshKey(from, key)
  }

  return {
    refresh(place, links, { moved, joined, left }) {
      const linked = all.get(place) ?? { links: new Map(), entries: new Map() }
      all.set(place, linked)
      for (const [key, link] of links) {
        if (link === undefined) linked.links.delete(key)
        else linked.links.set(key, link)
        refreshKey(place, key)
      }
      // An entry contains its service's canonical path, so it changes when the service moves.
      for (const each of moved) for (const key of each.links.keys()) refreshKey(each, key)
      for (const each of [...moved, ...joined, ...left]) refreshIncoming(each)
    },
    renew: refreshIncoming,
    isFixed: (place, key) => all.get(place)?.links.get(key)?.fixed === true,
    remove(place) {
      for (const entry of all.get(place)?.entries.values() ?? []) claims.remove(entry)
      all.delete(place)
    },
  }
}

/** Returns the old object for an equal entry of the same service. */
function keep(old: LinkEntry | undefined, entry: LinkEntry): LinkEntry {
  return old !== undefined && old.service === entry.service && sameEntry(old, entry) ? old : entry
}

function toEntry({ from, key, to }: Edge<AgenticService>, link: Link | undefined): LinkEntry {
  const description = link?.description ?? to.service.description
  return {
    kind: "link",
    path: [...from.path, key],
    canonical: to.path,
    ...(description !== undefined && { description }),
    service: to.service,
    thing: thingOf(to.service),
  }
}

/**
 * Reports a service that moved from one link of a place to another: a sign of an index used as a key. Each move leads a name to
 * another service, so callers are asked again or refused without a reason of their own.
 *
 * @param services - The services of the changed links; `undefined` for removed ones.
 */
export function reportTraded(
  report: Report,
  place: Place<AgenticService>,
  services: ReadonlyMap<string, AgenticService | undefined>,
): void {
  const former = new Map([...services.keys()].map((key) => [place.links.get(key)?.to.service, key]))
  for (const [key, service] of services) {
    const before = service && former.get(service)
    const owner = place.links.get(key)?.to.service
    if (before === undefined || before === key || owner === undefined || services.get(before) === service) continue
    // A role such as "next" may pass its service on. Only swaps and shifted numbers indicate meaningless keys.
    if (services.get(before) !== owner && !(isIndex(key) && isIndex(before))) continue
    report({
      code: "links_traded",
      message: `link "${key}" now leads to the service that link "${before}" led to: expected keys that stay with their services, such as an id, found keys that move, such as an index`,
      path: place.path,
      key,
    })
    return
  }
}

function isIndex(key: string): boolean {
  return /^\d+$/.test(key)
}
