import type { Kind } from "./recognise-source.js"

/** One subscription of a source. */
export interface Subscription<Value> {
  /** The last value it gave while it was being opened. */
  said?: { readonly value: Value }
  /** Why it failed while it was being opened. */
  failed?: { readonly cause: unknown }
  /** Whether it says nothing more. */
  ended: boolean
  /** Ends it; may throw. */
  stop: () => void
}

/** Who hears of a subscription once it is open. */
export interface Heard<Value> {
  next(value: Value): void
  failed(cause: unknown): void
}

/** Opens a source; never throws. What it says meanwhile is put down; of a burst only the last. */
export function openKind<Value>(kind: Kind<Value>, heard: Heard<Value>): Subscription<Value> {
  const subscription: Subscription<Value> = { ended: false, stop: () => {} }
  let opening = true
  try {
    subscription.stop = kind.open({
      next(value) {
        if (subscription.ended) return
        if (opening) subscription.said = { value }
        else heard.next(value)
      },
      error(cause, goesOn = false) {
        if (subscription.ended) return
        subscription.ended = !goesOn
        if (opening) subscription.failed = { cause }
        else heard.failed(cause)
      },
      complete() {
        subscription.ended = true
      },
    })
  } catch (cause) {
    subscription.failed = { cause }
    subscription.ended = true
  }
  opening = false
  return subscription
}

/** Ends a subscription; what is thrown at that is handed on. */
export function stopSafely({ stop }: Pick<Subscription<never>, "stop">, trouble: (cause: unknown) => void): void {
  try {
    stop()
  } catch (cause) {
    trouble(cause)
  }
}
