import { Observable } from "rxjs"
import { recogniseSource } from "./recognise-source.js"
import type { Source } from "./source.js"

/**
 * Converts any kind of source to an rxjs observable. Only subscribing touches the source; its errors then become errors of the
 * observable, and so does an unknown kind.
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

/** The origin of a {@link toObservable} result. */
interface Origin {
  /** The source. */
  readonly source: unknown
}

/** Origins of the observables above: a store's error ends the observable, but not the store. */
const origins = new WeakMap<object, Origin>()

/** Returns an observable's origin, if {@link toObservable} created it. */
export function originOf(observable: object): Origin | undefined {
  return origins.get(observable)
}
