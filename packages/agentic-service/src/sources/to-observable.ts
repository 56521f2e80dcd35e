import { Observable, type Subscriber } from "rxjs"
import { type Kind, recogniseSource } from "./recognise-source.js"
import type { Source } from "./source.js"

/**
 * Makes an rxjs observable of any kind of source. Subscribing is the only thing that touches the source;
 * whatever it throws then becomes an error of the result, and so does a source of no known kind.
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
  const origin = { source, isAlive: false }
  const observable = new Observable<Value>((subscriber) => {
    const kind = recogniseSource(source)
    if (!kind.constant) return openNoting(kind, subscriber, origin)
    subscriber.next(kind.value)
    subscriber.complete()
    return undefined
  })
  origins.set(observable, origin)
  return observable
}

/** What {@link toObservable} made an observable of. */
interface Origin {
  /** The source. */
  readonly source: unknown
  /** Whether it has spoken since it was last subscribed, and has not ended. */
  isAlive: boolean
}

/** What the observables above were made of, so that what was piped from them can be followed again after it has failed. */
const origins = new WeakMap<object, Origin>()

/** What an observable was made of, where it was made by {@link toObservable}. */
export function originOf(observable: object): Readonly<Origin> | undefined {
  return origins.get(observable)
}

function openNoting<Value>(kind: Kind<Value>, subscriber: Subscriber<Value>, origin: Origin): () => void {
  origin.isAlive = false
  return kind.open({
    next(value) {
      origin.isAlive = true
      subscriber.next(value)
    },
    error(cause) {
      origin.isAlive = false
      subscriber.error(cause)
    },
    complete() {
      origin.isAlive = false
      subscriber.complete()
    },
  })
}
