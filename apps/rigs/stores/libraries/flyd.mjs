import { source } from "@x/agentic-service"
import flyd from "flyd"

export const title = "flyd"

export function create(initial) {
  const stream = flyd.stream(initial)
  return {
    source: stream,
    it: stream,
    write: (value) => stream(value),
    touch() {
      stream()[0].done = true
      stream([...stream()])
    },
    batch(one, two) {
      stream(one)
      stream(two)
    },
    listen(heard) {
      const following = flyd.on(heard, stream)
      return () => following.end(true)
    },
    followers: () => stream.listeners.length,
  }
}

export const named = "flyd"

export const line = ({ it }) =>
  source.observe((notify) => {
    const following = flyd.on(notify, it)
    return () => following.end(true)
  })
