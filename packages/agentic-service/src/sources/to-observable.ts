import { Observable } from "rxjs"
import { recogniseSource } from "./recognise-source.js"
import type { Source } from "./source.js"

/**
 * Makes an rxjs observable of any kind of source. Subscribing is the only thing that touches the source;
 * whatever it throws then becomes an error of the result, and so does a source of no known kind.
 *
 * @example
 * ```ts
 * import { source, toObservable } from "@x/agentic-service"
 * import { map } from "rxjs"
 *
 * const size = source.read(() => 3)
 * toObservable(size).pipe(map((n) => n * 2)).subscribe((n) => console.log(n)) // 6
 * ```
 */
export function toObservable<Value>(source: Source<Value>): Observable<Value> {
  const observable = new Observable<Value>((subscriber) => {
    const kind = recogniseSource(source)
    if (!kind.constant) return kind.open(subscriber)
    subscriber.next(kind.value)
    subscriber.complete()
    return undefined
  })
  origins.set(observable, { source })
  return observable
}

/** What {@link toObservable} made an observable of. */
interface Origin {
  /** The source. */
  readonly source: unknown
}

/** What the observables above were made of: of a store that throws the observable is over, and the store goes on. */
const origins = new WeakMap<object, Origin>()

/** What an observable was made of, where it was made by {@link toObservable}. */
export function originOf(observable: object): Origin | undefined {
  return origins.get(observable)
}
