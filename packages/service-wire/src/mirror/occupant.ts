import { type Asker, composeThing, newThing, type Occupancy } from "@x/agentic-service/adapter"
import { Subject } from "rxjs"
import type { RawService } from "./raw-graph.js"

/** What a mirrored service stands for at one moment. */
export interface Seat {
  /** Its identity. */
  readonly thing: string
  /** Where it is, such as in a tab: the same when that is loaded again. */
  readonly place: string
  /** Which load of that place, or which process; `undefined` where it is not known. */
  readonly load: string | undefined
  /** The identity that an author gave it, which outlives a load; `undefined` where there is none. */
  readonly lasting: string | undefined
}

/** What a mirrored service stands for, through all that it stands for. */
export interface Occupant {
  /** The same, for those who are handed the service. */
  readonly occupancy: Occupancy
  /** What it stands for now. */
  seat(): Seat
  /** Has it stand for something from now on, before its members are updated; {@link Occupant.tell} says so, after that. */
  take(seat: Seat): void
  /**
   * Tells that it stands for another thing, where it does.
   *
   * @returns Whether it does.
   */
  tell(): boolean
}

/** Stands for nothing yet. */
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
 * Whether a call that was for one thing may go on where another stands by now. It may where nothing can be harmed by it, and the
 * same place was only loaded again: unless authors say that it is another thing.
 */
export function mayGoOn(before: Seat, now: Seat, harmless: boolean): boolean {
  return before.thing === now.thing || (harmless && isReload(before, now) && before.lasting === now.lasting)
}

function isReload(before: Seat, now: Seat): boolean {
  if (before.load === undefined || now.load === undefined) return false
  return before.place === now.place && before.load !== now.load
}

/** The place that offers on a channel, where that is more than the channel: a page, for example, in one of its loads. */
export interface SourcePlace {
  /** Its identity: the same on another channel of the same source, and on no channel of another. Default: one per channel. */
  readonly thing: string
  /** Where it is, such as the tab of a page: the same when it is loaded again. */
  readonly place: string
  /** Who asks the questions of actions, as the operator knows it. Default: a server of the mirror's `name`. */
  readonly asker?: Asker
  /** What it is called now, in its own words, such as the title of a page. */
  title?(): string
}

/**
 * Says what services that are told of on one channel stand for. Whoever is not foreign is believed: the mirror of a thing is that
 * thing, over whatever channel. What a foreign side tells counts only together with where it was told. A side that tells nothing
 * has one identity per channel.
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
