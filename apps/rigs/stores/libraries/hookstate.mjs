import { hookstate } from "@hookstate/core"
import { subscribable } from "@hookstate/subscribable"

export const title = "Hookstate"
export const packages = ["@hookstate/core", "@hookstate/subscribable"]

export function create(initial) {
  const source = hookstate({ todos: initial }, subscribable())
  let open = 0
  const subscribe = (heard) => {
    const stop = source.subscribe(heard)
    open += 1
    return () => {
      open -= 1
      stop()
    }
  }
  const write = (todos) => source.todos.set(todos)
  return {
    source,
    it: { get: source.get, subscribe },
    alsoRefused: [source.todos],
    write,
    touch: () => source.todos[0].done.set(true),
    batch(one, two) {
      write(one)
      write(two)
    },
    listen(heard) {
      const tell = () => heard(source.todos.get({ noproxy: true }))
      tell()
      return source.subscribe(tell)
    },
    followers: () => open,
  }
}

export const named = "Hookstate"
export const inner = ({ todos }) => todos

export const line = ({ it }) => ({
  get: () => it.get({ noproxy: true }),
  subscribe: (notify) => it.subscribe(notify),
})
