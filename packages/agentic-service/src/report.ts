import { type Observable, Subject } from "rxjs"
import type { MemberFailure } from "./service.js"

/** Where a service tells what went wrong inside it. */
export interface Failures {
  /** What goes wrong, as it happens; nothing is kept for later subscribers. */
  readonly failures: Observable<MemberFailure>
  /** Passes one on; a listener that throws reaches neither its siblings nor the caller. */
  readonly report: Report
}

/** Makes the channel on which a service reports what its callers must not see. */
export function createFailures(): Failures {
  const failures = new Subject<MemberFailure>()
  return { failures: failures.asObservable(), report: (failure) => failures.next(failure) }
}

/** Takes what went wrong with a member; never throws. */
export type Report = (failure: MemberFailure) => void
