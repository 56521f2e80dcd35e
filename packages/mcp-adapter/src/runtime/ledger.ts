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

/**
 * A ledger with nothing in it.
 *
 * @param changed - Told at once of every thing opened or closed, so that nobody has to ask over and over.
 */
export function createLedger(changed: () => void = () => {}): Ledger {
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
      changed()
      let held = true
      return () => {
        if (!held) return
        held = false
        counts[kind] -= 1
        changed()
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
