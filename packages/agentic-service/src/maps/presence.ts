import { combineLatest, distinctUntilChanged, map, type Observable, startWith } from "rxjs"
import { toObservable } from "../sources/to-observable.js"
import { toCondition, type When } from "./when.js"

/** Whether a member is there now: itself, or the reason why not. */
export type Presence<Item> = Present<Item> | Absent

/** The member is there. */
export interface Present<Item> {
  /** Tells the two apart. */
  readonly visible: true
  /** The member; the same object for as long as nothing about it changed. */
  readonly item: Item
}

/** The member is not there. */
export interface Absent {
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
