import Observable from "zen-observable"

export const title = "zen-observable"

export function create(initial) {
  const observers = new Set()
  let value = initial
  const source = new Observable((observer) => {
    observers.add(observer)
    observer.next(value)
    return () => observers.delete(observer)
  })
  const write = (next) => {
    value = next
    for (const observer of observers) observer.next(next)
  }
  return {
    source,
    write,
    touch() {
      value[0].done = true
      write([...value])
    },
    batch(one, two) {
      write(one)
      write(two)
    },
    listen(heard, failed) {
      const subscription = source.subscribe({ next: heard, error: failed })
      return () => subscription.unsubscribe()
    },
    followers: () => observers.size,
    end: (error) => {
      for (const observer of observers) observer.error(error)
    },
  }
}

export function createFailing(initial) {
  const made = create(initial)
  return { ...made, tellsErrors: true, fail: () => made.end(new Error("broken")) }
}
