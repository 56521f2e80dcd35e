import { createStore } from "zustand/vanilla"
import { counted } from "./counted.mjs"

export const title = "Zustand"

export function create(initial) {
  const { store: source, followers } = counted(createStore(() => initial))
  return {
    source,
    write: (value) => source.setState(value, true),
    touch() {
      const todos = source.getState()
      todos[0].done = true
      source.setState([...todos], true)
    },
    batch(one, two) {
      source.setState(one, true)
      source.setState(two, true)
    },
    listen: (heard) => source.subscribe(heard),
    followers,
  }
}
