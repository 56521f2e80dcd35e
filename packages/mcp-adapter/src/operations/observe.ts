import type { Observable } from "rxjs"
import type { AdapterEvent } from "../calls/adapter-event.js"
import { type Ledger, subscribeIn } from "../runtime/host.js"

/** What can be observed of an adapter. */
export interface Observed {
  /** What happens. */
  readonly events: Observable<AdapterEvent>
  /** Where the subscription is noted. */
  readonly ledger: Ledger
}

/** Watches over an adapter until it is told to stop, or the adapter is closed. */
export interface Watcher {
  /** Stops; idempotent. */
  close(): void
}

/**
 * Takes events without ever standing in the way of what they tell of: what `next` throws is dropped.
 *
 * @returns Stops it; idempotent.
 */
export function observe({ events, ledger }: Observed, next: (event: AdapterEvent) => void): () => void {
  const subscription = subscribeIn(ledger, events, {
    next(event) {
      try {
        next(event)
      } catch {
        // There is nobody to tell: this is where telling failed.
      }
    },
  })
  return () => subscription.unsubscribe()
}
