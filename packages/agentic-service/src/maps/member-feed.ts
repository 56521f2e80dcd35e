import { combineLatest, distinctUntilChanged, map, type Observable, type Subscription, startWith } from "rxjs"
import { memberOf } from "../member-of.js"
import type { Condition, When } from "../sources/source.js"
import { toObservable } from "../sources/to-observable.js"
import { type Entries, emptyEntries, type Feed } from "./live-map.js"

/** A feed of members that are known from the start, each there or not on its own. */
interface MemberFeed<Item> extends Feed<Item> {
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

/** Whether a member is there now: itself, or the reason why not. */
export type Presence<Item> = Present<Item> | Absent

/** The member is there. */
interface Present<Item> {
  /** Tells the two apart. */
  readonly visible: true
  /** The member; the same object for as long as nothing about it changed. */
  readonly item: Item
}

/** The member is not there. */
interface Absent {
  /** Tells the two apart. */
  readonly visible: false
  /** Why, for whoever asks. */
  readonly reason: string
}

/** A member that is not there, and why. */
export function absent(reason: string): Absent {
  return { visible: false, reason }
}

/**
 * Follows a member: there while its condition holds and it has an item. Says at once that it is
 * not there while a source has yet to speak, so that a silent one never holds up its siblings.
 */
export function watchPresence<Item>(
  when: When | undefined,
  items: Observable<Presence<Item>>,
): Observable<Presence<Item>> {
  if (when === undefined) return items.pipe(startWith(nothingYet))
  const condition = toCondition(when)
  const holds = toObservable<unknown>(condition.is).pipe(
    map((value) => (value ? undefined : absent(condition.otherwise))),
    startWith(notKnown),
    distinctUntilChanged((before, after) => before === after),
  )
  return combineLatest([holds, items.pipe(startWith(nothingYet))]).pipe(map(([hidden, item]) => hidden ?? item))
}

const nothingYet: Absent = absent("it has no value yet")
const notKnown: Absent = absent("its condition is not known yet")

/** Gives every condition its reason. */
function toCondition(when: When): Condition {
  return isCondition(when) ? when : { is: when, otherwise: "its condition is false" }
}

function isCondition(when: When): when is Condition {
  return typeof when === "object" && "is" in when && typeof memberOf(when, "otherwise") === "string"
}
