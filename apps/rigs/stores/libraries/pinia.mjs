import { createPinia, defineStore, setActivePinia } from "pinia"
import { counted } from "./counted.mjs"

export const title = "Pinia"

setActivePinia(createPinia())
let stores = 0

export function create(initial) {
  const { store, followers } = counted(
    defineStore(`store${stores++}`, { state: () => ({ value: initial }) })(),
    "$subscribe",
  )
  return {
    source: store,
    it: store,
    write(value) {
      store.value = value
    },
    touch() {
      store.value[0].done = true
    },
    batch: (one, two) =>
      store.$patch((state) => {
        state.value = one
        state.value = two
      }),
    listen(heard) {
      const tell = () => heard(JSON.parse(JSON.stringify(store.value)))
      tell()
      return store.$subscribe(tell, { flush: "sync", detached: true })
    },
    followers,
  }
}

export const inner = ({ value }) => value
export const named = "Pinia"

export const line = ({ it }) => ({
  get: () => it.$state,
  subscribe: (notify) => it.$subscribe(notify, { detached: true }),
})
