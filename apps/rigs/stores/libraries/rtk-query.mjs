import { configureStore } from "@reduxjs/toolkit"
import { createApi } from "@reduxjs/toolkit/query"
import { counted } from "./counted.mjs"

export const title = "RTK Query"
export const packages = ["@reduxjs/toolkit"]

export async function create(initial) {
  const api = createApi({
    baseQuery: () => ({ data: undefined }),
    endpoints: (builder) => ({ todos: builder.query({ queryFn: () => ({ data: initial }) }) }),
  })
  const made = configureStore({
    reducer: { [api.reducerPath]: api.reducer },
    middleware: (usual) => usual().concat(api.middleware),
  })
  const { store, followers } = counted(made)
  const running = store.dispatch(api.endpoints.todos.initiate())
  await running
  const data = () => api.endpoints.todos.select()(store.getState()).data
  const write = (todos) => store.dispatch(api.util.upsertQueryData("todos", undefined, todos))
  return {
    source: api.endpoints.todos.initiate(),
    alsoRefused: [running],
    api,
    store,
    write,
    touch: () =>
      store.dispatch(
        api.util.updateQueryData("todos", undefined, (todos) => {
          todos[0].done = true
        }),
      ),
    async batch(one, two) {
      await Promise.all([write(one), write(two)])
    },
    listen(heard) {
      let last = data()
      heard(last)
      return made.subscribe(() => {
        if (last !== data()) heard(data())
        last = data()
      })
    },
    followers,
  }
}

export const line = ({ api, store }) => ({
  get: () => api.endpoints.todos.select()(store.getState()).data,
  subscribe: store.subscribe,
})
