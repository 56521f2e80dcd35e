import { atom, createStore } from "jotai/vanilla"
import { counted } from "./counted.mjs"

export const title = "Jotai"

export function create(initial) {
  const { store, followers } = counted(createStore(), "sub")
  const todos = atom(initial)
  const write = (value) => store.set(todos, value)
  return {
    source: todos,
    alsoRefused: [atom((get) => get(todos))],
    store,
    it: todos,
    write,
    touch() {
      store.get(todos)[0].done = true
      write([...store.get(todos)])
    },
    batch(one, two) {
      write(one)
      write(two)
    },
    listen(heard) {
      heard(store.get(todos))
      return store.sub(todos, () => heard(store.get(todos)))
    },
    followers,
  }
}

export const named = "Jotai"

export const line = ({ it, store }) => ({ get: () => store.get(it), subscribe: (notify) => store.sub(it, notify) })
