import { makeVar } from "@apollo/client"
import { countRuns } from "./count-runs.mjs"

export const title = "Apollo reactive variables"
export const packages = ["@apollo/client"]

export function create(initial) {
  const source = makeVar(initial)
  const runs = countRuns(() => source(structuredClone(source())))
  const todos = () => {
    runs.count()
    return source()
  }
  return {
    source,
    it: Object.assign(todos, { onNextChange: source.onNextChange }),
    write: (value) => source(value),
    touch() {
      source()[0].done = true
      source([...source()])
    },
    batch(one, two) {
      source(one)
      source(two)
    },
    listen(heard) {
      let stop = () => {}
      const next = () => {
        stop = source.onNextChange((value) => {
          next()
          heard(value)
        })
      }
      heard(source())
      next()
      return () => stop()
    },
    followers: runs.perChange,
  }
}

export const named = "Apollo"

export const line = ({ it }) => ({
  get: () => it(),
  subscribe(notify) {
    let stop
    const next = () =>
      (stop = it.onNextChange(() => {
        next()
        notify()
      }))
    next()
    return () => stop()
  },
})
