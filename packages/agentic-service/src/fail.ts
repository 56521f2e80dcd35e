import type { Failure } from "./service.js"
import { memberOf } from "./sources/member-of.js"

// Registered, so that two copies of this package in one application understand each other.
const failed: unique symbol = Symbol.for("@x/agentic-service/failed")

/** A failure as an action returns it. Only {@link fail} makes one: a value that merely looks like it stays a value. */
export interface Failed extends Failure {
  /** Marks what {@link fail} made. */
  readonly [failed]: true
}

/** What a failure may carry beside its message. */
export interface FailOptions {
  /** A stable code for programs; any string. Default `"action_failed"`. */
  readonly code?: string
  /** What to do about it, for the model and the person. */
  readonly recovery?: string
}

/** Says that an action did not do what it was asked. To be returned, not thrown. */
export function fail(message: string, options: FailOptions = {}): Failed {
  return { [failed]: true, ...failure(message, options) }
}

/** Tells what {@link fail} made from every other value. */
export function isFailed(value: unknown): value is Failed {
  return memberOf(value, failed) === true
}

/** Makes the plain data of a failure. */
export function failure(message: string, { code = "action_failed", recovery }: FailOptions): Failure {
  return { ok: false, message, code, ...(recovery === undefined ? {} : { recovery }) }
}
