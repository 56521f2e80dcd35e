import type { Abortable } from "@x/agentic-service/adapter"
import { defer, filter, finalize, firstValueFrom, map, Observable, takeUntil } from "rxjs"
import { type Host, startTimer } from "../runtime/host.js"
import type { View } from "./view.js"

/** Where somebody waits. */
export interface WaitSite {
  /** What is watched. */
  readonly view: View
  /** Time, what is held, and who is told. */
  readonly host: Host
  /** Ends the wait when it aborts. */
  readonly signal: Abortable
}

/**
 * Waits until there is something to find in a view.
 *
 * @param limit - How long to wait at most, in milliseconds.
 * @param look - Looks for it: at once, and then at the end of each task in which something was emitted. Must not throw.
 * @returns What was found; `undefined` when the time is over, the signal aborts or the view is released first.
 */
export async function waitUntil<Found>(
  { view, host, signal }: WaitSite,
  limit: number,
  look: () => Found | undefined,
): Promise<Found | undefined> {
  const found = look()
  if (found !== undefined || signal.aborted || limit <= 0) return found
  const over = new Observable<void>((subscriber) => {
    const stop = (): void => subscriber.next()
    const cancel = startTimer(host, limit, stop)
    signal.addEventListener("abort", stop)
    return () => {
      cancel()
      signal.removeEventListener("abort", stop)
    }
  })
  const findings = defer(() => view.settled.pipe(finalize(host.ledger.open("subscription")))).pipe(
    map(look),
    filter((finding) => finding !== undefined),
    takeUntil(over),
  )
  return firstValueFrom(findings, { defaultValue: undefined })
}
