import { atom } from "@reatom/core"
import { counted } from "./counted.mjs"

export const title = "Reatom"
export const packages = ["@reatom/core"]

export function create(initial) {
  const { store: source, followers } = counted(atom(initial))
  return {
    source,
    write: (value) => void source.set(value),
    touch() {
      const todos = source()
      todos[0].done = true
      source.set([...todos])
    },
    batch(one, two) {
      source.set(one)
      source.set(two)
    },
    listen: (heard) => source.subscribe(heard),
    followers,
  }
}
