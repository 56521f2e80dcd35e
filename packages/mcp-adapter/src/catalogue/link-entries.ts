import type { AgenticService, Links } from "@x/agentic-service"
import type { Claims } from "./claims.js"
import type { LinkEntry } from "./entry.js"
import type { Edge, GraphChange, Place } from "./graph.js"
import { samePublished } from "./same-published.js"

/** The entries made from the links of the graph. */
export interface LinkEntries {
  /** Brings them in line with what a new links map of `place` did to the graph. */
  refresh(place: Place<AgenticService>, links: Links, change: GraphChange<AgenticService>): void
  /** Takes back the entries of a place that is gone. */
  remove(place: Place<AgenticService>): void
}

/** No links yet. */
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
  return old !== undefined && old.service === entry.service && samePublished(old, entry) ? old : entry
}

function toEntry({ from, key, to }: Edge<AgenticService>, links: Links | undefined): LinkEntry {
  const description = links?.[key]?.description ?? to.service.description
  return {
    kind: "link",
    path: [...from.path, key],
    canonical: to.path,
    ...(description !== undefined && { description }),
    service: to.service,
  }
}
