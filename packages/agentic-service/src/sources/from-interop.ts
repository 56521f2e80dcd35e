import { type InteropObservable, Observable, type Subscribable } from "rxjs"
import { fromObservable } from "./from-observable.js"
import { memberOf } from "./member-of.js"
import type { Source } from "./source.js"

/** Follows what `[Symbol.observable]()` hands out, asked anew on every subscription. */
export function fromInterop<Value>(source: InteropObservable<Value>): Observable<Value> {
  return new Observable((subscriber) => {
    const observable: Subscribable<Value> = Reflect.apply(methodOf(source), source, [])
    return fromObservable(observable).subscribe(subscriber)
  })
}

/** Tells an interop observable by the well-known method, under the symbol or the string that stands in for it. */
export function isInterop<Value>(source: Source<Value>): source is InteropObservable<Value> {
  return typeof (memberOf(source, Symbol.observable) ?? memberOf(source, standIn)) === "function"
}

/** Where nobody has defined `Symbol.observable`, libraries agree on this key. */
const standIn = "@@observable"

function methodOf<Value>(source: InteropObservable<Value>): () => Subscribable<Value> {
  // Where the symbol is not defined the declared key does not exist, only the stand-in; `isInterop` has found one of them.
  return source[Symbol.observable] ?? (memberOf(source, standIn) as () => Subscribable<Value>)
}
