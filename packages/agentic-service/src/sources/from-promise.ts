import { from, type Observable } from "rxjs"
import { hasMethod } from "./member-of.js"
import type { Source } from "./source.js"

/** Gives what the promise resolves to; a rejection is an error. */
export function fromPromise<Value>(promise: PromiseLike<Value>): Observable<Value> {
  return from(promise)
}

/** Tells a promise by its `then`. */
export function isPromiseLike<Value>(source: Source<Value>): source is PromiseLike<Value> {
  return hasMethod(source, "then")
}
