import { proxy, snapshot, subscribe } from "valtio/vanilla"
import { countRuns } from "./count-runs.mjs"

export const title = "Valtio"

export function create(initial) {
  const state = proxy({ value: initial })
  const write = (value) => {
    state.value = value
  }
  const runs = countRuns(() => write(structuredClone(snapshot(state).value)))
  return {
    source: state,
    it: state,
    subscribe: (_, tell) =>
      subscribe(state, () => {
        runs.count()
        tell()
      }),
    write,
    touch() {
      state.value[0].done = true
    },
    batch(one, two) {
      write(one)
      write(two)
    },
    listen(heard) {
      heard(snapshot(state).value)
      return subscribe(state, () => heard(snapshot(state).value))
    },
    followers: runs.perChange,
  }
}

export const inner = ({ value }) => value
export const named = "Valtio"

export const line = ({ it, subscribe }) => ({
  get: () => snapshot(it),
  subscribe: (notify) => subscribe(it, notify),
})
