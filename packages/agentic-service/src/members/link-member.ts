import { map, of } from "rxjs"
import type { LinkDeclaration } from "../declare/link.js"
import { toAgenticService } from "../foreign/to-agentic-service.js"
import { absent, type Presence, watchPresence } from "../maps/presence.js"
import type { AgenticService, Link, LinkDefinition } from "../service.js"
import { toObservable } from "../sources/to-observable.js"
import type { Member } from "./member.js"

/** Makes a declared link into one that can be followed. */
export function createLinkMember(key: string, { options }: LinkDeclaration): Member<Link, LinkDefinition> {
  const { description, when } = options
  const definition: LinkDefinition = description === undefined ? {} : { description }
  const services = "createService" in options ? of(options.createService(key)) : toObservable(options.service)
  let last: Link | undefined

  const next = (service: AgenticService | null | undefined): Presence<Link> => {
    if (service === null || service === undefined) return absent("there is nothing to link to now")
    const target = toAgenticService(service)
    if (last?.service !== target) last = { ...definition, service: target }
    return { visible: true, item: last }
  }
  return { definition, presence: watchPresence(when, services.pipe(map(next))) }
}
