import { source } from "@x/agentic-service"
import Stream from "mithril/stream/stream.js"
import { countRuns } from "./count-runs.mjs"

export const title = "Mithril streams"
export const packages = ["mithril"]

export function create(initial) {
  const stream = Stream(initial)
  const runs = countRuns(() => stream(structuredClone(stream())))
  const counting = (tell) => (value) => {
    runs.count()
    return tell(value)
  }
  return {
    source: stream,
    it: { map: (tell) => stream.map(counting(tell)) },
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
      const following = stream.map(heard)
      return () => following.end(true)
    },
    followers: runs.perChange,
  }
}

export const named = "Mithril"

export const line = ({ it }) =>
  source.observe((notify) => {
    const following = it.map(notify)
    return () => following.end(true)
  })
