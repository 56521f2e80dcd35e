import { batch, signal } from "@preact/signals-core"
import { counted } from "./counted.mjs"

export const title = "Preact signals"
export const packages = ["@preact/signals-core"]

export function create(initial) {
  const { store: source, followers } = counted(signal(initial))
  const write = (value) => {
    source.value = value
  }
  return {
    source,
    write,
    touch() {
      source.value[0].done = true
      write([...source.value])
    },
    batch: (one, two) =>
      batch(() => {
        write(one)
        write(two)
      }),
    listen: (heard) => source.subscribe(heard),
    followers,
  }
}
