import { useCallback, useRef, useSyncExternalStore } from "react"
import type { Observable } from "rxjs"

/** The newest value of an observable, in a component; `first` until there is one. */
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
