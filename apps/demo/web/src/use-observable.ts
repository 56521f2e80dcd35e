import { useCallback, useRef, useSyncExternalStore } from "react"
import type { Observable } from "rxjs"

/** Returns the newest value of an observable, or `first` until one arrives. */
export function useObservable<Value>(observable: Observable<Value>, first: Value): Value {
  const latest = useRef(first)
  const subscribe = useCallback(
    (changed: () => void) => {
      const subscription = observable.subscribe((value) => {
        latest.current = value
        changed()
      })
      return () => subscription.unsubscribe()
    },
    [observable],
  )
  return useSyncExternalStore(subscribe, () => latest.current)
}
