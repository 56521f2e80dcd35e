import { source } from "@x/agentic-service"
import { Signal } from "signal-polyfill"
import { effect } from "signal-utils/subtle/microtask-effect"

export const title = "TC39 signals"
export const packages = ["signal-polyfill", "signal-utils"]

export function create(initial) {
  const source = new Signal.State(initial)
  return {
    source,
    it: source,
    alsoRefused: [new Signal.Computed(() => source.get())],
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
    listen: (heard) => effect(() => heard(source.get())),
    followers: () => Signal.subtle.introspectSinks(source).length,
  }
}

export const line = ({ it }) => source.observe((notify) => effect(() => notify(it.get())))
