import { Observable } from "rxjs"

/**
 * The values of an async iterable, each asked for once the one before is taken. Unsubscribing returns from it at once, which a
 * generator notices at its next `yield`: at most the value that is being made is made in vain. (`from` of rxjs waits for that
 * value before it returns, and so for as long as there is none.)
 */
export function fromAsyncIterable<Value>(iterable: AsyncIterable<Value>): Observable<Value> {
  return new Observable((subscriber) => {
    const iterator = iterable[Symbol.asyncIterator]()
    let over = false
    const pull = async (): Promise<void> => {
      while (!subscriber.closed) {
        const next = await iterator.next()
        if (next.done === true) {
          over = true
          return subscriber.complete()
        }
        subscriber.next(next.value)
      }
    }
    pull().catch((error: unknown) => {
      over = true
      subscriber.error(error)
    })
    return () => {
      if (!over) leave(iterator)
    }
  })
}

/** Nobody is left who could be told that leaving failed. */
function leave(iterator: AsyncIterator<unknown>): void {
  Promise.resolve(iterator.return?.()).catch(() => {})
}
