import { createStore } from "@xstate/store"
import { counted } from "./counted.mjs"

export const title = "XState Store"
export const packages = ["@xstate/store"]

export function create(initial) {
  const { store: source, followers } = counted(
    createStore({ context: { value: initial }, on: { written: (_, { value }) => ({ value }) } }),
  )
  const write = (value) => source.send({ type: "written", value })
  const current = () => source.getSnapshot().context.value
  return {
    source,
    write,
    touch() {
      const todos = current()
      todos[0].done = true
      write([...todos])
    },
    batch(one, two) {
      write(one)
      write(two)
    },
    listen(heard) {
      heard(current())
      const subscription = source.subscribe(({ context }) => heard(context.value))
      return () => subscription.unsubscribe()
    },
    followers,
  }
}

export const inner = ({ context }) => context.value
