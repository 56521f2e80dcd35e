import { BehaviorSubject } from "rxjs"

export const title = "rxjs 7"

export function create(initial) {
  const source = new BehaviorSubject(initial)
  return {
    source,
    write: (value) => source.next(value),
    touch() {
      source.value[0].done = true
      source.next([...source.value])
    },
    batch(one, two) {
      source.next(one)
      source.next(two)
    },
    listen(heard, failed) {
      const subscription = source.subscribe({ next: heard, error: failed })
      return () => subscription.unsubscribe()
    },
    followers: () => source.observers.length,
  }
}

export function createFailing(initial) {
  const made = create(initial)
  return { ...made, tellsErrors: true, fail: () => made.source.error(new Error("broken")) }
}
