import type { Observable } from "rxjs"
import { of } from "rxjs"
import { fromInterop, isInterop } from "./from-interop.js"
import { fromObservable, isObservableLike } from "./from-observable.js"
import { fromObserve, isObserve } from "./from-observe.js"
import { fromPromise, isPromiseLike } from "./from-promise.js"
import { fromStore, isStore } from "./from-store.js"
import type { Source } from "./source.js"

/**
 * Gives every kind of source one shape. Subscribing is the only thing that touches the source;
 * whatever it throws then becomes an error of the result. A store is read as one even where it
 * also is an observable, because what it gives when read is the truth.
 */
export function toObservable<Value>(source: Source<Value>): Observable<Value> {
  if (isStore(source)) return fromStore(source)
  if (isObservableLike(source)) return fromObservable(source)
  if (isInterop(source)) return fromInterop(source)
  if (isObserve(source)) return fromObserve(source)
  if (isPromiseLike(source)) return fromPromise(source)
  return of(source)
}
