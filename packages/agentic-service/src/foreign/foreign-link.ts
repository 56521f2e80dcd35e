import type { AgenticService, Link } from "../service.js"
import { memberOf } from "../sources/member-of.js"
import type { ForeignService } from "./recognise-service.js"

/**
 * Takes foreign links, which are bare services; or objects with a `service`, as ours are. A description
 * is read from the link or from the service's `linkDescriptions`; a link to nothing is none.
 */
export function createForeignLinks(
  { linkDescriptions }: ForeignService,
  wrapChild: (child: unknown) => AgenticService,
): (entry: unknown, key: string, before: Link | undefined) => Link | undefined {
  return (entry, key, before) => {
    const target = memberOf(entry, "execute") === undefined ? (memberOf(entry, "service") ?? entry) : entry
    if (!target) return undefined
    const described = target === entry ? ownText(linkDescriptions, key) : ownText(entry, "description")
    const link: Link = { service: wrapChild(target), ...(described === undefined ? {} : { description: described }) }
    return before?.service === link.service && before.description === link.description ? before : link
  }
}

function ownText(texts: unknown, key: string): string | undefined {
  if (typeof texts !== "object" || texts === null || !Object.hasOwn(texts, key)) return undefined
  const text = memberOf(texts, key)
  return typeof text === "string" ? text : undefined
}
