import { createEvent, createStore } from "effector"

export const title = "effector"

export function create(initial) {
  const written = createEvent()
  const source = createStore(initial).on(written, (_, value) => value)
  return {
    source,
    write: (value) => void written(value),
    touch() {
      const todos = source.getState()
      todos[0].done = true
      written([...todos])
    },
    batch(one, two) {
      written(one)
      written(two)
    },
    listen: (heard) => source.watch(heard),
    followers: () => source.graphite.next.length,
  }
}
