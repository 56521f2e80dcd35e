import type { Observable } from "rxjs"
import type { AdapterEvent } from "../calls/adapter-event.js"
import { type Ledger, subscribeIn } from "../runtime/host.js"

/** The observable parts of an adapter. */
export interface Observed {
  /** The adapter's events. */
  readonly events: Observable<AdapterEvent>
  /** The ledger that counts the subscription. */
  readonly ledger: Ledger
}

/** Observes an adapter until it is closed or the adapter is. */
export interface Watcher {
  /** Stops observing; idempotent. */
  close(): void
}

/**
 * Subscribes to events without affecting the adapter: errors thrown by `next` are dropped.
 *
 * @returns Stops the subscription; idempotent.
 */
export function observe({ events, ledger }: Observed, next: (event: AdapterEvent) => void): () => void {
  const subscription = subscribeIn(ledger, events, {
    next(event) {
      try {
        next(event)
      } catch {
        // An error cannot be reported here, since reporting uses the same events.
      }
    },
  })
  return () => subscription.unsubscribe()
}
