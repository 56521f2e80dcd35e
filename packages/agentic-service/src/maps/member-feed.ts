import type { Observable, Subscription } from "rxjs"
import { type Entries, emptyEntries, type Feed } from "./feed.js"
import { absent, type Presence } from "./presence.js"

/** A feed of members that are known from the start, each there or not on its own. */
export interface MemberFeed<Item> extends Feed<Item> {
  /** Why the member is not there now; `undefined` while it is, while nothing is connected, and for unknown keys. */
  reason(key: string): string | undefined
}

/**
 * Puts members together, in the order given. A member whose source fails is not there any more and
 * is reported; a source that completes keeps its last say.
 *
 * @param failed - Told of every failing member; must not throw.
 */
export function createMemberFeed<Item>(
  members: ReadonlyMap<string, Observable<Presence<Item>>>,
  failed: (key: string, cause: unknown) => void,
): MemberFeed<Item> {
  const presences = new Map<string, Presence<Item>>()
  let entries: Entries<Item> | undefined

  const connect = (changed: () => void): (() => void) => {
    const update = (key: string, presence: Presence<Item>): void => {
      const before = presences.get(key)
      presences.set(key, presence)
      if (itemOf(before) === itemOf(presence)) return
      entries = undefined
      changed()
    }
    const follow = ([key, member]: [string, Observable<Presence<Item>>]): [string, Subscription] => {
      const error = (cause: unknown): void => {
        failed(key, cause)
        update(key, absent("it has failed"))
      }
      return [key, member.subscribe({ next: (presence) => update(key, presence), error })]
    }
    entries = undefined
    const followed = [...members].map(follow)
    return () => {
      for (const [key, subscription] of followed) release(subscription, (cause) => failed(key, cause))
      presences.clear()
    }
  }

  const read = (): Entries<Item> => {
    entries ??= collect(members.keys(), presences)
    return entries
  }

  const reason = (key: string): string | undefined => {
    const presence = presences.get(key)
    return presence?.visible === false ? presence.reason : undefined
  }

  return { connect, read, reason }
}

function collect<Item>(keys: Iterable<string>, presences: ReadonlyMap<string, Presence<Item>>): Entries<Item> {
  const entries = emptyEntries<Item>()
  for (const key of keys) {
    const presence = presences.get(key)
    if (presence?.visible) entries[key] = presence.item
  }
  return entries
}

function itemOf<Item>(presence: Presence<Item> | undefined): Item | undefined {
  return presence?.visible ? presence.item : undefined
}

/** Lets go of one source; one that throws at that must not keep the others held. */
function release(subscription: Subscription, failed: (cause: unknown) => void): void {
  try {
    subscription.unsubscribe()
  } catch (cause) {
    failed(cause)
  }
}
