import type { InteropObservable, Observable, Unsubscribable } from "rxjs"

/**
 * Anything a value can come from, now and later. A plain value is a source that never changes. A bare function is none, because
 * it may be a reader or a writer: `source.read` and `source.observe` say what it is.
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
 * A function that reports values, at once or later, until the function it returns is called (`@adobe/data`'s shape).
 * `source.observe` makes a source of it.
 */
export type Observe<Value> = (notify: (value: Value) => void) => () => void

/** What ends a subscription: a function, or an object that can be told. */
export type Stop = (() => void) | Unsubscribable | Disposable

/** What ends a subscription by another name (Knockout, editors). */
export interface Disposable {
  /** Ends it. */
  dispose(): void
}

/** Something that calls whoever subscribes with the newest value at once and with each later one (Svelte stores). */
export interface Subscribable<Value> {
  /** Calls the listener with the newest value before it returns, and with each later one; what it answers ends that. */
  subscribe(listener: (value: Value) => void): Stop
}

/** A store: says *that* it changed, and is then read. Redux, Zustand, XState actors and nanostores have this shape. */
export type Store<Value> = StoreSubscription & StoreReader<Value>

/** The half of a store that tells of changes. */
export interface StoreSubscription {
  /** Calls the listener after every change; what it answers ends that. */
  subscribe(listener: () => void): Stop
}

/** The half of a store that is read: the first of these members that exists. */
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

/** When a member is there: `true`, `false` or a source of them, with or without the words for when it is not. */
export type When = Source<boolean> | Condition

/** A condition that says why a member is not there. */
export interface Condition {
  /** The member is there while the newest value is `true`; not before the first one, nor where it cannot be followed. */
  readonly is: Source<boolean>
  /** Why the member is not there otherwise, in words a model can use, such as `"there is no history yet"`. */
  readonly otherwise: string
}
