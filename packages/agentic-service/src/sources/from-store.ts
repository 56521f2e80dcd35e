import { Observable } from "rxjs"
import { hasMethod } from "./member-of.js"
import type { Source, Store } from "./source.js"

/** Reads a store once it is subscribed and again whenever it says that it changed; what it passes along is ignored. */
export function fromStore<Value>(store: Store<Value>): Observable<Value> {
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
export function isStore<Value>(source: Source<Value>): source is Store<Value> {
  return hasMethod(source, "subscribe") && readers.some((reader) => hasMethod(source, reader))
}

const readers = ["getSnapshot", "getState", "get"] as const

function read<Value>(store: Store<Value>): Value {
  if ("getSnapshot" in store) return store.getSnapshot()
  if ("getState" in store) return store.getState()
  return store.get()
}
