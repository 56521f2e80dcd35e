import type { Abortable } from "@x/agentic-service/adapter"
import { defer, filter, finalize, firstValueFrom, map, Observable, takeUntil } from "rxjs"
import { type Host, startTimer } from "../runtime/host.js"
import type { View } from "./view.js"

/** The context of a wait. */
export interface WaitSite {
  /** The watched view. */
  readonly view: View
  /** Clock, ledger and diagnostics reporter. */
  readonly host: Host
  /** Ends the wait when aborted. */
  readonly signal: Abortable
}

/**
 * Waits until a search in a view succeeds.
 *
 * @param limit - The maximum of milliseconds to wait.
 * @param look - Searches: immediately, and then at the end of each task with emissions. Must not throw.
 * @returns The result, or `undefined` when the time is over, the signal aborts or the view is released first.
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
