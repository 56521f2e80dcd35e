import { Observable } from "rxjs"
import type { Observe, Source } from "./source.js"

/** Follows a function that notifies. What it reports after it was told to stop is ignored. */
export function fromObserve<Value>(observe: Observe<Value>): Observable<Value> {
  return new Observable((subscriber) => observe((value) => subscriber.next(value)))
}

/** Takes every function for an {@link Observe}: a plain function cannot be told from one. */
export function isObserve<Value>(source: Source<Value>): source is Observe<Value> {
  return typeof source === "function"
}
