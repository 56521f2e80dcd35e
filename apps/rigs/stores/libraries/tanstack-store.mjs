import { batch, Store } from "@tanstack/store"
import { counted } from "./counted.mjs"

export const title = "TanStack Store"
export const packages = ["@tanstack/store"]

export function create(initial) {
  const { store: source, followers } = counted(new Store(initial))
  const write = (value) => source.setState(() => value)
  return {
    source,
    write,
    touch() {
      source.state[0].done = true
      write([...source.state])
    },
    batch: (one, two) =>
      batch(() => {
        write(one)
        write(two)
      }),
    listen(heard) {
      heard(source.state)
      const subscription = source.subscribe(heard)
      return () => subscription.unsubscribe()
    },
    followers,
  }
}
