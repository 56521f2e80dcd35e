import { type Asker, composeThing, newThing, type Occupancy } from "@x/agentic-service/adapter"
import { Subject } from "rxjs"
import type { RawService } from "./raw-graph.js"

/** A mirrored service's identity at one moment. */
export interface Seat {
  /** The identity. */
  readonly thing: string
  /** The place, such as a tab. A reload keeps it. */
  readonly place: string
  /** The load of that place, or the process; `undefined` if unknown. */
  readonly load: string | undefined
  /** The author's identity, which outlives a load; `undefined` if none was given. */
  readonly lasting: string | undefined
}

/** The changing identity of a mirrored service. */
export interface Occupant {
  /** The same identity, as users of the service see it. */
  readonly occupancy: Occupancy
  /** Returns the current identity. */
  seat(): Seat
  /** Sets the identity before the members are updated. {@link Occupant.tell} announces it afterwards. */
  take(seat: Seat): void
  /**
   * Announces the identity if it has changed.
   *
   * @returns Whether it has changed.
   */
  tell(): boolean
}

/** Creates an occupant with a new identity. */
export function createOccupant(): Occupant {
  const changes = new Subject<string>()
  let seat: Seat = { thing: newThing(), place: "", load: undefined, lasting: undefined }
  let told = seat.thing
  return {
    occupancy: { current: () => seat.thing, changes },
    seat: () => seat,
    take(next) {
      seat = next
    },
    tell() {
      if (told === seat.thing) return false
      told = seat.thing
      changes.next(told)
      return true
    },
  }
}

/**
 * Whether a call for one identity may run although the service has another now. Only a harmless call may, after a reload of the
 * same place, and only if authors do not say that the two are different.
 */
export function mayGoOn(before: Seat, now: Seat, harmless: boolean): boolean {
  return before.thing === now.thing || (harmless && isReload(before, now) && before.lasting === now.lasting)
}

function isReload(before: Seat, now: Seat): boolean {
  if (before.load === undefined || now.load === undefined) return false
  return before.place === now.place && before.load !== now.load
}

/** The place that offers on a channel if it can come back on another one, such as a page. */
export interface SourcePlace {
  /** The identity: the same on every channel of this source, and different for every other source. Default: one per channel. */
  readonly thing: string
  /** The place, such as a page's tab. A reload keeps it. */
  readonly place: string
  /** The asker of the actions' questions, as the operator knows it. Default: a server of the mirror's `name`. */
  readonly asker?: Asker
  /** Returns its current title in its own words, such as the title of a page. */
  title?(): string
}

/**
 * Returns a function that determines the identity of services received on one channel. A trusted side is believed: the mirror
 * of a thing has the identity of that thing on any channel. The identity that a foreign side sends counts only in combination
 * with its source. A side that sends none gets one identity per channel.
 */
export function createSeats(
  source: SourcePlace | undefined,
  { foreign, load }: { readonly foreign: boolean; readonly load: () => string | undefined },
): (raw: RawService) => Seat {
  const { place = "" } = source ?? {}
  let channel: string | undefined
  const ownOf = (): string => {
    channel ??= newThing()
    return channel
  }
  const thingOf = ({ id, thing }: RawService): string => {
    if (thing === undefined) return composeThing(ownOf(), "service", String(id))
    return foreign ? composeThing(source?.thing ?? ownOf(), thing) : thing
  }
  return (raw) => ({
    thing: thingOf(raw),
    place,
    load: source?.thing ?? load(),
    lasting: raw.lasting ? raw.thing : undefined,
  })
}
