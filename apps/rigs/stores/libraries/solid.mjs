// Imports the browser build, as bundlers do. The build for Node targets server-side rendering and is not reactive.
import { batch, createEffect, createRoot, createSignal, observable } from "solid-js/dist/solid.js"
import { createStore } from "solid-js/store/dist/store.js"
import { countRuns } from "./count-runs.mjs"

export const title = "Solid"
export const packages = ["solid-js"]

export function create(initial) {
  const [value, setValue] = createSignal(initial)
  const write = (next) => void setValue(() => next)
  const runs = countRuns(() => write(structuredClone(value())))
  const source = () => {
    runs.count()
    return value()
  }
  return {
    source,
    it: source,
    alsoRefused: [createStore({ value: initial })[0]],
    write,
    touch() {
      value()[0].done = true
      write([...value()])
    },
    batch: (one, two) =>
      batch(() => {
        write(one)
        write(two)
      }),
    listen: (heard) =>
      createRoot((dispose) => {
        createEffect(() => heard(source()))
        return dispose
      }),
    followers: runs.perChange,
  }
}

export const line = ({ it }) => observable(it)
