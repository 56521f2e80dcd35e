import { get, writable } from "svelte/store"
import { counted } from "./counted.mjs"

export const title = "Svelte stores"
export const packages = ["svelte"]

export function create(initial) {
  const { store: source, followers } = counted(writable(initial))
  return {
    source,
    write: (value) => source.set(value),
    touch() {
      const todos = get(source)
      todos[0].done = true
      source.set(todos)
    },
    batch(one, two) {
      source.set(one)
      source.set(two)
    },
    listen: (heard) => source.subscribe(heard),
    followers,
  }
}
