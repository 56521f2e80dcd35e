import { memberOf } from "../sources/member-of.js"
import type { Source } from "../sources/source.js"

/** When a member is there: a source of truth values, with or without the words for when it is not. */
export type When = Source<boolean> | Condition

/** A condition that says why a member is not there. */
export interface Condition {
  /** The member is there while the newest value is truthy; not before the first one. */
  readonly is: Source<boolean>
  /** Why the member is not there otherwise, in words a model can use, such as `"there is no history yet"`. */
  readonly otherwise: string
}

/** Gives every condition its reason. */
export function toCondition(when: When): Condition {
  return isCondition(when) ? when : { is: when, otherwise: "its condition is false" }
}

function isCondition(when: When): when is Condition {
  return typeof when === "object" && "is" in when && typeof memberOf(when, "otherwise") === "string"
}
