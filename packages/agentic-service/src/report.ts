import { type Observable, Subject } from "rxjs"
import type { MemberFailure } from "./service.js"

/** A service's channel of failures. */
export interface Failures {
  /** Failures as they happen; later subscribers get no earlier ones. */
  readonly failures: Observable<MemberFailure>
  /** Emits a failure. Errors of a listener reach neither its siblings nor the caller. */
  readonly report: Report
}

/** Creates a service's channel for details that callers must not see. */
export function createFailures(): Failures {
  const failures = new Subject<MemberFailure>()
  return { failures: failures.asObservable(), report: (failure) => failures.next(failure) }
}

/** Reports a member's failure. Never throws. */
export type Report = (failure: MemberFailure) => void
