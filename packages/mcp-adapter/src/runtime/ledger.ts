import type { Observable, Observer, Subscription } from "rxjs"

/** What is held open, by kind. */
export type Holding = "subscription" | "timer" | "stream" | "session" | "view" | "call" | "stuck"

/** How many of each kind are held now. */
export type LedgerCounts = Readonly<Record<Holding, number>>

/** Counts everything that is opened and not yet closed, so that a test, or an operator, can see it all gone. */
export interface Ledger {
  /**
   * Notes one thing opened.
   *
   * @returns Notes it closed; calling it again changes nothing.
   */
  open(kind: Holding): () => void
  /** The counts now; zero for kinds never opened. */
  counts(): LedgerCounts
}

/** A ledger with nothing in it. */
export function createLedger(): Ledger {
  const counts: Record<Holding, number> = {
    subscription: 0,
    timer: 0,
    stream: 0,
    session: 0,
    view: 0,
    call: 0,
    stuck: 0,
  }
  return {
    open(kind) {
      counts[kind] += 1
      let held = true
      return () => {
        if (held) counts[kind] -= 1
        held = false
      }
    },
    counts: () => ({ ...counts }),
  }
}

/** Subscribes, and keeps the subscription in the ledger until it ends, however it ends. */
export function subscribeIn<Value>(
  ledger: Ledger,
  source: Observable<Value>,
  observer: Partial<Observer<Value>>,
): Subscription {
  const closed = ledger.open("subscription")
  const subscription = source.subscribe(observer)
  subscription.add(closed)
  return subscription
}
