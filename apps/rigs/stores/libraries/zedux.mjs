import { atom, createEcosystem } from "@zedux/atoms"
import { counted } from "./counted.mjs"

export const title = "Zedux"
export const packages = ["@zedux/atoms"]

const ecosystem = createEcosystem({ id: "stores" })
let atoms = 0

export function create(initial) {
  const source = ecosystem.getInstance(atom(`todos${atoms++}`, () => initial))
  const { followers } = counted(source.store)
  return {
    source,
    it: source,
    write: (value) => source.setState(value),
    touch() {
      const todos = source.getState()
      todos[0].done = true
      source.setState([...todos])
    },
    batch(one, two) {
      source.setState(one)
      source.setState(two)
    },
    listen(heard) {
      heard(source.getState())
      return source.store.subscribe((value) => heard(value)).unsubscribe
    },
    followers,
  }
}

export const named = "Zedux"

export const line = ({ it }) => it.store
