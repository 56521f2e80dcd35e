import { memberOf } from "@x/base"
import type { Kind } from "./recognise-source.js"

/** A subscription of a source. */
export interface Subscription<Value> {
  /** The last value while it was being opened. */
  said?: { readonly value: Value }
  /** The root's last value meanwhile; for anything but a pipe, the same. */
  began?: { readonly value: unknown }
  /** Its error during opening. */
  failed?: { readonly cause: unknown }
  /** Whether it emits no more. */
  ended: boolean
  /** Ends it; may throw. */
  stop: () => void
}

/** A listener of an open subscription. */
interface Heard<Value> {
  /** See {@link Listener.root}; called with each value of anything but a pipe. */
  root(value: unknown): void
  /** See {@link Listener.again}. */
  again?(): void
  next(value: Value): void
  failed(cause: unknown): void
}

/** Opens a source. Never throws. Values meanwhile are recorded, of a burst only the last. */
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

/** Ends a subscription, and reports an error of the release. */
export function stopSafely({ stop }: Pick<Subscription<never>, "stop">, trouble: (cause: unknown) => void): void {
  try {
    stop()
  } catch (cause) {
    trouble(thrownBy(cause))
  }
}

/** Returns the error inside rxjs's wrapper for errors of unsubscribing. */
function thrownBy(cause: unknown): unknown {
  const errors = memberOf(cause, "name") === "UnsubscriptionError" ? memberOf(cause, "errors") : undefined
  return Array.isArray(errors) && errors.length === 1 ? errors[0] : cause
}
