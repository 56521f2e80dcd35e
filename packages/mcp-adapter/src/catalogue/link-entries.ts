import type { AgenticService } from "@x/agentic-service"
import { type Links, thingOf } from "@x/agentic-service/adapter"
import type { Report } from "../runtime/diagnostic.js"
import type { Claims } from "./claims.js"
import { type LinkEntry, sameEntry } from "./entry.js"
import type { Edge, GraphChange, Place } from "./graph.js"

/** The entries made from the links of the graph. */
export interface LinkEntries {
  /** Brings them in line with what a new links map of `place` did to the graph. */
  refresh(place: Place<AgenticService>, links: Links, change: GraphChange<AgenticService>): void
  /** Makes the entries of the links that lead to a place anew, because its service stands for another thing. */
  renew(place: Place<AgenticService>): void
  /** Whether a link of a place always leads to the same service. */
  isFixed(place: Place<AgenticService>, key: string): boolean
  /** Takes back the entries of a place that is gone. */
  remove(place: Place<AgenticService>): void
}

/** Creates the entries of a graph without links. */
export function createLinkEntries(claims: Claims<LinkEntry>): LinkEntries {
  const entries = new Map<Place<AgenticService>, Map<string, LinkEntry>>()
  const descriptions = new Map<Place<AgenticService>, Links>()

  const refreshPlace = (place: Place<AgenticService>): void => {
    const before = entries.get(place) ?? new Map<string, LinkEntry>()
    const after = new Map<string, LinkEntry>()
    for (const edge of place.links.values()) {
      if (edge.to.reached) after.set(edge.key, keep(before.get(edge.key), toEntry(edge, descriptions.get(place))))
    }
    for (const old of without(before, after)) claims.remove(old)
    for (const entry of without(after, before)) claims.add(entry)
    entries.set(place, after)
  }

  return {
    refresh(place, links, change) {
      descriptions.set(place, links)
      const touched = new Set([place, ...change.moved])
      // An entry says where its service is listed, so it changes when the service moves.
      const { moved, joined, left } = change
      for (const to of [...moved, ...joined, ...left]) for (const edge of to.incoming) touched.add(edge.from)
      touched.forEach(refreshPlace)
    },
    renew(place) {
      for (const from of new Set([...place.incoming].map((edge) => edge.from))) refreshPlace(from)
    },
    isFixed: (place, key) => descriptions.get(place)?.[key]?.fixed === true,
    remove(place) {
      for (const entry of entries.get(place)?.values() ?? []) claims.remove(entry)
      entries.delete(place)
      descriptions.delete(place)
    },
  }
}

/** The entries of `some` that `others` does not have under the same key. */
function without(some: ReadonlyMap<string, LinkEntry>, others: ReadonlyMap<string, LinkEntry>): LinkEntry[] {
  return [...some].filter(([key, entry]) => others.get(key) !== entry).map(([, entry]) => entry)
}

/** An entry that says the same of the same service stays the same object. */
function keep(old: LinkEntry | undefined, entry: LinkEntry): LinkEntry {
  return old !== undefined && old.service === entry.service && sameEntry(old, entry) ? old : entry
}

function toEntry({ from, key, to }: Edge<AgenticService>, links: Links | undefined): LinkEntry {
  const description = links?.[key]?.description ?? to.service.description
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
 * Reports links that lead to services which other links of the same place led to before: an index used as a key. A name then
 * leads to another thing with each move, so callers are asked again and refused for no reason of theirs.
 */
export function reportTraded(
  report: Report,
  place: Place<AgenticService>,
  services: ReadonlyMap<string, AgenticService>,
): void {
  const former = new Map([...place.links].map(([key, { to }]) => [to.service, key]))
  for (const [key, service] of services) {
    const before = former.get(service)
    const owner = place.links.get(key)?.to.service
    if (before === undefined || before === key || owner === undefined || services.get(before) === service) continue
    // A role such as "next" hands its service on; only a swap, or numbers that move up, are keys that say nothing.
    if (services.get(before) !== owner && !(isIndex(key) && isIndex(before))) continue
    report({
      code: "links_traded",
      message: `link "${key}" leads to what link "${before}" led to: expected keys that stay with their services, such as an id; found keys that move, such as an index`,
      path: place.path,
      key,
    })
    return
  }
}

function isIndex(key: string): boolean {
  return /^\d+$/.test(key)
}
