import { toAgenticService } from "../foreign/to-agentic-service.js"
import type { Report } from "../members/member.js"
import type { Link } from "../service.js"
import { ServiceError } from "../service-error.js"
import type { Collection } from "./collection-feed.js"
import { type Entries, emptyEntries } from "./feed.js"

/**
 * Makes links of items. The link of a key stays the same object while the key stays; an item whose
 * key or service cannot be had is left out, and reported once for as long as its key stays.
 */
export function createLinkMaker<Item>(
  { key, service }: Pick<Collection<Item>, "key" | "service">,
  report: Report,
): (items: readonly Item[]) => Entries<Link> {
  let known = new Map<string, Link | undefined>()
  let doubled = new Set<string>()

  const keyOf = (item: Item): string | undefined => {
    try {
      return key(item)
    } catch (cause) {
      report({ kind: "link", cause })
      return undefined
    }
  }
  const make = (name: string, item: Item): Link | undefined => {
    try {
      return { service: toAgenticService(service(item)) }
    } catch (cause) {
      report({ kind: "link", key: name, cause })
      return undefined
    }
  }

  const byKey = (items: readonly Item[]): Map<string, Item> => {
    const first = new Map<string, Item>()
    const again = new Set<string>()
    for (const item of items) {
      const name = keyOf(item)
      if (name === undefined) continue
      if (first.has(name)) again.add(name)
      else first.set(name, item)
    }
    for (const name of again) if (!doubled.has(name)) report({ kind: "link", key: name, cause: duplicate(name) })
    doubled = again
    return first
  }

  return (items) => {
    const links = [...byKey(items)].map(
      ([name, item]) => [name, known.has(name) ? known.get(name) : make(name, item)] as const,
    )
    known = new Map(links)
    const entries = emptyEntries<Link>()
    for (const [name, link] of links) if (link) entries[name] = link
    return entries
  }
}

function duplicate(name: string): ServiceError {
  return new ServiceError(`found two items with key "${name}", expected one; the first is kept`, {
    code: "invalid_definition",
  })
}
