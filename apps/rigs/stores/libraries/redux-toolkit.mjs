import { configureStore, createSlice } from "@reduxjs/toolkit"
import { counted } from "./counted.mjs"

export const title = "Redux Toolkit"
export const packages = ["@reduxjs/toolkit"]

export function create(initial) {
  const slice = createSlice({
    name: "todos",
    initialState: initial,
    reducers: {
      written: (_, { payload }) => payload,
      touched(todos) {
        todos[0].done = true
      },
    },
  })
  const { written, touched } = slice.actions
  const { store: source, followers } = counted(configureStore({ reducer: slice.reducer }))
  return {
    source,
    write: (value) => void source.dispatch(written(value)),
    touch: () => void source.dispatch(touched()),
    batch(one, two) {
      source.dispatch(written(one))
      source.dispatch(written(two))
    },
    listen(heard) {
      heard(source.getState())
      return source.subscribe(() => heard(source.getState()))
    },
    followers,
  }
}
