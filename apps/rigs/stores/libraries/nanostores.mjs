import { atom } from "nanostores"

export const title = "nanostores"

export function create(initial) {
  const source = atom(initial)
  return {
    source,
    write: (value) => source.set(value),
    touch() {
      const todos = source.get()
      todos[0].done = true
      source.set([...todos])
    },
    batch(one, two) {
      source.set(one)
      source.set(two)
    },
    listen: (heard) => source.subscribe(heard),
    followers: () => source.lc,
  }
}
