import { Observable, type Observer, type Unsubscribable } from "rxjs"
import { hasMethod, memberOf } from "./member-of.js"
import type { Source } from "./source.js"

/** What any observable has, whichever copy of rxjs (or other library) it comes from. */
export interface ObservableLike<Value> {
  /** Starts reporting to the observer. */
  subscribe(observer: Partial<Observer<Value>>): Unsubscribable
}

/** Follows an observable. Where it knows its current value (a BehaviorSubject), that is taken instead of the emitted one. */
export function fromObservable<Value>(source: ObservableLike<Value>): Observable<Value> {
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
export function isObservableLike<Value>(source: Source<Value>): source is Observable<Value> {
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
