import { memberOf } from "@x/tool-schemas/json"
import type { Kind } from "./recognise-source.js"

/** One subscription of a source. */
export interface Subscription<Value> {
  /** The last value it gave while it was being opened. */
  said?: { readonly value: Value }
  /** The last value that what it begins with gave meanwhile: of what is no pipe, the same. */
  began?: { readonly value: unknown }
  /** Why it failed while it was being opened. */
  failed?: { readonly cause: unknown }
  /** Whether it says nothing more. */
  ended: boolean
  /** Ends it; may throw. */
  stop: () => void
}

/** Who hears of a subscription once it is open. */
interface Heard<Value> {
  /** See {@link Listener.root}; of what is no pipe, each value. */
  root(value: unknown): void
  /** See {@link Listener.again}. */
  again?(): void
  next(value: Value): void
  failed(cause: unknown): void
}

/** Opens a source; never throws. What it says meanwhile is put down; of a burst only the last. */
export function openKind<Value>(kind: Kind<Value>, heard: Heard<Value>): Subscription<Value> {
  const subscription: Subscription<Value> = { ended: false, stop: () => {} }
  let opening = true
  const root = (value: unknown): void => {
    if (subscription.ended) return
    if (opening) subscription.began = { value }
    else heard.root(value)
  }
  try {
    subscription.stop = kind.open({
      root,
      again: () => heard.again?.(),
      next(value) {
        if (subscription.ended) return
        if (!kind.tapped) root(value)
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
    trouble(thrownBy(cause))
  }
}

/** What was thrown, out of what rxjs puts it into when it unsubscribes. */
function thrownBy(cause: unknown): unknown {
  const errors = memberOf(cause, "name") === "UnsubscriptionError" ? memberOf(cause, "errors") : undefined
  return Array.isArray(errors) && errors.length === 1 ? errors[0] : cause
}
