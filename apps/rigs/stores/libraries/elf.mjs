import { createStore, select, setProps, withProps } from "@ngneat/elf"

export const title = "elf"
export const packages = ["@ngneat/elf"]

let stores = 0

export function create(initial) {
  const source = createStore({ name: `store${stores++}` }, withProps({ value: initial }))
  const write = (value) => source.update(setProps({ value }))
  return {
    source,
    write,
    touch() {
      const todos = source.getValue().value
      todos[0].done = true
      write([...todos])
    },
    batch(one, two) {
      write(one)
      write(two)
    },
    listen(heard) {
      const subscription = source.pipe(select(({ value }) => value)).subscribe(heard)
      return () => subscription.unsubscribe()
    },
    followers: () => source.observers.length,
  }
}

export const inner = ({ value }) => value
