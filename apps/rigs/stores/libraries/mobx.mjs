import { source } from "@x/agentic-service"
import { autorun, computed, getObserverTree, observable, runInAction, toJS } from "mobx"

export const title = "MobX"

export function create(initial) {
  const box = observable({ value: initial })
  return {
    source: box,
    it: box,
    alsoRefused: [observable.box(initial), computed(() => box.value)],
    write: (value) =>
      runInAction(() => {
        box.value = value
      }),
    touch: () =>
      runInAction(() => {
        box.value[0].done = true
      }),
    batch: (one, two) =>
      runInAction(() => {
        box.value = one
        box.value = two
      }),
    listen: (heard) => autorun(() => heard(toJS(box.value))),
    followers: () => getObserverTree(box, "value").observers?.length ?? 0,
  }
}

export const named = "MobX"
export const inner = ({ value }) => value

export const line = ({ it }) => source.observe((notify) => autorun(() => notify(toJS(it))))
