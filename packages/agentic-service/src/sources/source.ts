import type { InteropObservable, Observable, Unsubscribable } from "rxjs"

/**
 * Anything a value can come from, now and later. A plain value is a source that never changes.
 * A value that is itself a function cannot be told from an {@link Observe}: wrap it in rxjs `of()`.
 */
export type Source<Value> =
  | Observable<Value>
  | InteropObservable<Value>
  | Store<Value>
  | Observe<Value>
  | PromiseLike<Value>
  | Value

/** A function that reports values, at once or later, until the function it returns is called (`@adobe/data`'s shape). */
export type Observe<Value> = (notify: (value: Value) => void) => () => void

/** A store: says *that* it changed, and is then read. Redux, Zustand, XState actors and nanostores have this shape. */
export type Store<Value> = StoreSubscription & StoreReader<Value>

/** The half of a store that tells of changes. */
export interface StoreSubscription {
  /** Calls the listener after every change; the result, or its `unsubscribe`, ends it. */
  subscribe(listener: () => void): (() => void) | Unsubscribable
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

/** When a member is there: a source of truth values, with or without the words for when it is not. */
export type When = Source<boolean> | Condition

/** A condition that says why a member is not there. */
export interface Condition {
  /** The member is there while the newest value is truthy; not before the first one. */
  readonly is: Source<boolean>
  /** Why the member is not there otherwise, in words a model can use, such as `"there is no history yet"`. */
  readonly otherwise: string
}
