import Kefir from "kefir"

export const title = "Kefir"

export function create(initial) {
  let value = initial
  const emitters = new Set()
  const source = Kefir.stream((emitter) => {
    emitters.add(emitter)
    return () => emitters.delete(emitter)
  }).toProperty(() => value)
  const write = (next) => {
    value = next
    for (const emitter of emitters) emitter.value(next)
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
      const subscription = source.observe({ value: heard, error: failed })
      return () => subscription.unsubscribe()
    },
    followers: () => source._dispatcher._items.length,
    tellError(error) {
      for (const emitter of emitters) emitter.error(error)
    },
  }
}

/** Kefir's own subscriptions survive an error. Kefir unsubscribes observers of its ECMAScript observables after one. */
export function createFailing(initial) {
  const made = create(initial)
  return { ...made, tellsErrors: true, fail: () => made.tellError(new Error("broken")) }
}
