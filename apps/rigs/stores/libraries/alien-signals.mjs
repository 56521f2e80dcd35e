import { source } from "@x/agentic-service"
import { effect, endBatch, signal, startBatch } from "alien-signals"
import { countRuns } from "./count-runs.mjs"

export const title = "alien-signals"

export function create(initial) {
  const source = signal(initial)
  const runs = countRuns(() => source(structuredClone(source())))
  const todos = () => {
    runs.count()
    return source()
  }
  return {
    source,
    it: todos,
    write: (value) => source(value),
    touch() {
      source()[0].done = true
      source([...source()])
    },
    batch(one, two) {
      startBatch()
      source(one)
      source(two)
      endBatch()
    },
    listen: (heard) => effect(() => void heard(source())),
    followers: runs.perChange,
  }
}

export const line = ({ it }) => source.observe((notify) => effect(() => notify(it())))
