import { source } from "@x/agentic-service"
import S from "s-js"
import { countRuns } from "./count-runs.mjs"

export const title = "S.js"

export function create(initial) {
  const data = S.data(initial)
  const runs = countRuns(() => data(structuredClone(data())))
  const todos = () => {
    runs.count()
    return data()
  }
  return {
    source: data,
    it: todos,
    alsoRefused: [S.value(initial)],
    write: (value) => data(value),
    touch() {
      data()[0].done = true
      data([...data()])
    },
    batch(one, two) {
      data(one)
      data(two)
    },
    listen: (heard) =>
      S.root((dispose) => {
        S(() => heard(data()))
        return dispose
      }),
    followers: runs.perChange,
  }
}

export const line = ({ it }) =>
  source.observe((notify) =>
    S.root((dispose) => {
      S(() => notify(it()))
      return dispose
    }),
  )
