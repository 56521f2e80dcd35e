import { type Observable, throwError } from "rxjs"
import { emptyEntries } from "../maps/feed.js"
import { createLiveMap, type LiveMap } from "../maps/live-map.js"
import { createMemberFeed } from "../maps/member-feed.js"
import type { Presence } from "../maps/presence.js"
import type { DeclaredMember, MemberFailure } from "../service.js"
import type { Member, Report } from "./member.js"

/** All members of one kind: the map of those that are there, and what is known of all. */
export interface Members<Item, Definition> extends LiveMap<Item> {
  /** Every member that can ever be there. */
  readonly declared: Readonly<Record<string, DeclaredMember<Definition>>>
}

/** What the members of one kind have in common. */
export interface MemberKind<Declaration, Item, Definition> {
  /** Which kind. */
  readonly kind: MemberFailure["kind"]
  /** Makes one; may throw, and then this member is never there. */
  create(key: string, declaration: Declaration): Member<Item, Definition>
  /** Is told of every member that fails. */
  readonly report: Report
}

/** Makes all declared members of one kind. One that cannot be made is left out and reported; the others are served. */
export function createMembers<Declaration, Item, Definition>(
  declarations: Readonly<Record<string, Declaration>> | undefined,
  { kind, create, report }: MemberKind<Declaration, Item, Definition>,
): Members<Item, Definition> {
  const presences = new Map<string, Observable<Presence<Item>>>()
  const declared = emptyEntries<DeclaredMember<Definition>>()
  const feed = createMemberFeed(presences, (key, cause) => report({ kind, key, cause }))

  for (const [key, declaration] of Object.entries(declarations ?? {})) {
    try {
      const { definition, presence } = create(key, declaration)
      presences.set(key, presence)
      declared[key] = { definition, unavailable: () => feed.reason(key) }
    } catch (cause) {
      presences.set(
        key,
        throwError(() => cause),
      )
    }
  }
  return { ...createLiveMap(feed), declared }
}
