import { type AgenticService, type Link, toAgenticService } from "@x/agentic-service"
import type { Host } from "../runtime/host.js"
import type { Place } from "./graph.js"
import type { CatalogueLimits } from "./listing.js"
import { reportBroken } from "./publish-tool.js"
import type { MembersChange } from "./published-members.js"

/** Reads changed links. */
interface LinkReader {
  /** Reads the changed links of a place, and earlier ones that were left out for lack of room. */
  read(place: Place<AgenticService>, changed: MembersChange<Link>): ReadLinks
  /** Forgets a place. */
  forget(place: Place<AgenticService>): void
}

/** Changed links by key; `undefined` for missing ones. */
interface ReadLinks {
  /** The links. */
  readonly links: ReadonlyMap<string, Link | undefined>
  /** Their services: foreign ones wrapped, invalid and surplus ones left out. */
  readonly services: ReadonlyMap<string, AgenticService | undefined>
}

/** Options of reading links. */
interface LinkReaderOptions {
  /** The watched services, whose number is limited. */
  readonly watched: ReadonlyMap<AgenticService, unknown>
  /** The limits. */
  readonly limits: CatalogueLimits
  /** Clock, ledger and diagnostics reporter. */
  readonly host: Host
}

/** Creates a reader that has left out no link. */
export function createLinkReader({ watched, limits, host: { report } }: LinkReaderOptions): LinkReader {
  const surplus = new Map<Place<AgenticService>, Set<string>>()
  const reportSurplus = ({ path }: Place<AgenticService>, key: string): void =>
    report({
      code: "service_limit",
      message: `link "${key}" is left out: ${limits.services} services are watched already; raise "limits.services" or link less`,
      path,
      key,
    })
  return {
    read(place, { keys, find }) {
      const fresh = new Set<AgenticService>()
      const links = new Map<string, Link | undefined>()
      const services = new Map<string, AgenticService | undefined>()
      const left = new Set<string>()
      const fits = (service: AgenticService): boolean => {
        if (watched.has(service)) return true
        fresh.add(service)
        return watched.size + fresh.size <= limits.services
      }
      const take = (key: string): void => {
        const link = find(key)
        links.set(key, link)
        if (link === undefined) return void services.set(key, undefined)
        const service = toAgenticService(link.service)
        if (fits(service)) return void services.set(key, service)
        services.set(key, undefined)
        left.add(key)
        reportSurplus(place, key)
      }
      for (const key of new Set([...keys, ...(surplus.get(place) ?? [])])) {
        try {
          take(key)
        } catch (cause) {
          services.set(key, undefined)
          reportBroken(report, { kind: "link", path: place.path, key, cause })
        }
      }
      if (left.size > 0) surplus.set(place, left)
      else surplus.delete(place)
      return { links, services }
    },
    forget: (place) => void surplus.delete(place),
  }
}
