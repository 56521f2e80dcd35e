import {
  from,
  type InteropObservable,
  Observable,
  type Observer,
  of,
  type Subscribable,
  type Unsubscribable,
} from "rxjs"
import { hasMethod, memberOf } from "../member-of.js"
import type { Observe, Source, Store } from "./source.js"

/**
 * Gives every kind of source one shape. Subscribing is the only thing that touches the source;
 * whatever it throws then becomes an error of the result. A store is read as one even where it
 * also is an observable, because what it gives when read is the truth.
 *
 * @example
 * ```ts
 * import { type Observe, toObservable } from "@x/agentic-service"
 * import { map } from "rxjs"
 *
 * const size: Observe<number> = (notify) => {
 *   notify(3)
 *   return () => {}
 * }
 * toObservable(size).pipe(map((n) => n * 2)).subscribe((n) => console.log(n)) // 6
 * ```
 */
export function toObservable<Value>(source: Source<Value>): Observable<Value> {
  if (isStore(source)) return fromStore(source)
  if (isObservableLike(source)) return fromObservable(source)
  if (isInterop(source)) return fromInterop(source)
  if (isObserve(source)) return fromObserve(source)
  if (isPromiseLike(source)) return fromPromise(source)
  return of(source)
}

/** What any observable has, whichever copy of rxjs (or other library) it comes from. */
interface ObservableLike<Value> {
  /** Starts reporting to the observer. */
  subscribe(observer: Partial<Observer<Value>>): Unsubscribable
}

/** Follows an observable. Where it knows its current value (a BehaviorSubject), that is taken instead of the emitted one. */
function fromObservable<Value>(source: ObservableLike<Value>): Observable<Value> {
  return new Observable((subscriber) =>
    source.subscribe({
      // Emitting inside an emission makes a BehaviorSubject tell its later observers 2 and then 1; what it holds is right.
      next: (value) => subscriber.next(currentValue(source, value)),
      error: (cause) => subscriber.error(cause),
      complete: () => subscriber.complete(),
    }),
  )
}

/** Tells an observable by its `subscribe`. */
function isObservableLike<Value>(source: Source<Value>): source is Observable<Value> {
  return hasMethod(source, "subscribe")
}

function currentValue<Value>(source: ObservableLike<Value>, emitted: Value): Value {
  return hasCurrentValue(source) ? source.getValue() : emitted
}

function hasCurrentValue<Value>(
  source: ObservableLike<Value>,
): source is ObservableLike<Value> & { getValue(): Value } {
  return hasMethod(source, "getValue") && memberOf(source, "closed") !== true
}

/** Follows what `[Symbol.observable]()` hands out, asked anew on every subscription. */
function fromInterop<Value>(source: InteropObservable<Value>): Observable<Value> {
  return new Observable((subscriber) => {
    const observable: Subscribable<Value> = Reflect.apply(methodOf(source), source, [])
    return fromObservable(observable).subscribe(subscriber)
  })
}

/** Tells an interop observable by the well-known method, under the symbol or the string that stands in for it. */
function isInterop<Value>(source: Source<Value>): source is InteropObservable<Value> {
  return typeof (memberOf(source, Symbol.observable) ?? memberOf(source, standIn)) === "function"
}

/** Where nobody has defined `Symbol.observable`, libraries agree on this key. */
const standIn = "@@observable"

function methodOf<Value>(source: InteropObservable<Value>): () => Subscribable<Value> {
  // Where the symbol is not defined the declared key does not exist, only the stand-in; `isInterop` has found one of them.
  return source[Symbol.observable] ?? (memberOf(source, standIn) as () => Subscribable<Value>)
}

/** Reads a store once it is subscribed and again whenever it says that it changed; what it passes along is ignored. */
function fromStore<Value>(store: Store<Value>): Observable<Value> {
  return new Observable((subscriber) => {
    const subscription = store.subscribe(() => {
      try {
        subscriber.next(read(store))
      } catch (cause) {
        subscriber.error(cause)
      }
    })
    subscriber.add(subscription)
    subscriber.next(read(store))
  })
}

/** Tells a store by `subscribe` beside a way to read it. */
function isStore<Value>(source: Source<Value>): source is Store<Value> {
  return hasMethod(source, "subscribe") && readers.some((reader) => hasMethod(source, reader))
}

const readers = ["getSnapshot", "getState", "get"] as const

function read<Value>(store: Store<Value>): Value {
  if ("getSnapshot" in store) return store.getSnapshot()
  if ("getState" in store) return store.getState()
  return store.get()
}

/** Follows a function that notifies. What it reports after it was told to stop is ignored. */
function fromObserve<Value>(observe: Observe<Value>): Observable<Value> {
  return new Observable((subscriber) => observe((value) => subscriber.next(value)))
}

/** Takes every function for an {@link Observe}: a plain function cannot be told from one. */
function isObserve<Value>(source: Source<Value>): source is Observe<Value> {
  return typeof source === "function"
}

/** Gives what the promise resolves to; a rejection is an error. */
function fromPromise<Value>(promise: PromiseLike<Value>): Observable<Value> {
  return from(promise)
}

/** Tells a promise by its `then`. */
function isPromiseLike<Value>(source: Source<Value>): source is PromiseLike<Value> {
  return hasMethod(source, "then")
}
