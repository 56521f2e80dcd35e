import { batch, observable } from "@legendapp/state"
import { counted } from "./counted.mjs"

export const title = "Legend-State"
export const packages = ["@legendapp/state"]

export function create(initial) {
  const source = observable(initial)
  // The methods of an observable cannot be replaced, so an object wraps them.
  const { store: todos, followers } = counted(
    {
      get: () => source.get(),
      onChange: (tell) => source.onChange(tell),
    },
    "onChange",
  )
  return {
    source,
    it: todos,
    write: (value) => source.set(value),
    touch: () => source[0].done.set(true),
    batch: (one, two) =>
      batch(() => {
        source.set(one)
        source.set(two)
      }),
    listen(heard) {
      heard(source.peek())
      return source.onChange(() => heard(source.peek()))
    },
    followers,
  }
}

export const named = "Legend-State"

export const line = ({ it }) => ({ get: () => it.get(), subscribe: (notify) => it.onChange(notify) })
