import type { InteropObservable, Observable, Unsubscribable } from "rxjs"

/**
 * Any source of present and later values. A plain value is a source that never changes. A bare function is not a source,
 * because it may be a reader or a writer: wrap it in `source.read` or `source.observe`.
 */
export type Source<Value> =
  | Observable<Value>
  | InteropObservable<Value>
  | Store<Value>
  | Subscribable<Value>
  | PromiseLike<Value>
  | AsyncIterable<Value>
  | Value

/**
 * A function that reports values, immediately or later, until its returned function is called (`@adobe/data`'s shape).
 * `source.observe` makes it a source.
 */
export type Observe<Value> = (notify: (value: Value) => void) => () => void

/** Ends a subscription: a function, or an object that has one. */
export type Stop = (() => void) | Unsubscribable | Disposable

/** The end of a subscription under another name (Knockout, editors). */
export interface Disposable {
  /** Ends it. */
  dispose(): void
}

/** An object that calls its subscriber with the newest value immediately, and with each later one (Svelte stores). */
export interface Subscribable<Value> {
  /** Calls the listener with the newest value before it returns, and with each later one. Its result ends the subscription. */
  subscribe(listener: (value: Value) => void): Stop
}

/**
 * A store: reports *that* it changed, so that its reader is called. Redux, Zustand, XState actors and nanostores have this
 * shape.
 */
export type Store<Value> = StoreSubscription & StoreReader<Value>

/** The half of a store that reports changes. */
export interface StoreSubscription {
  /** Calls the listener after every change. Its result ends the subscription. */
  subscribe(listener: () => void): Stop
}

/** The reading half of a store: the first existing member of these. */
export type StoreReader<Value> =
  | {
      /** The newest value (XState, `useSyncExternalStore` stores). */
      getSnapshot(): Value
    }
  | {
      /** The newest value (Redux, Zustand). */
      getState(): Value
    }
  | {
      /** The newest value (nanostores). */
      get(): Value
    }
  | {
      /** The newest result (TanStack Query observers). */
      getCurrentResult(): Value
    }
  | {
      /** The newest value (Preact signals, Knockout). */
      peek(): Value
    }
  | {
      /** The newest value. */
      getValue(): Value
    }

/** The condition of a member's visibility: `true`, `false` or a source of them, with or without a reason. */
export type When = Source<boolean> | Condition

/** A condition that explains a member's absence. */
export interface Condition {
  /**
   * The member is visible while the newest value is `true`. It stays hidden before the first value, and when the source fails.
   */
  readonly is: Source<boolean>
  /** The reason for its absence, in words for a model, such as `"there is no history yet"`. */
  readonly otherwise: string
}
