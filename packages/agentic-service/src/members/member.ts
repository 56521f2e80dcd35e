import type { Observable } from "rxjs"
import type { Presence } from "../maps/presence.js"
import type { MemberFailure } from "../service.js"

/** A declared member, ready to be followed. */
export interface Member<Item, Definition> {
  /** What the member is when it is there. */
  readonly definition: Definition
  /** Whether it is there. */
  readonly presence: Observable<Presence<Item>>
}

/** Takes what went wrong with a member; never throws. */
export type Report = (failure: MemberFailure) => void
