import { source } from "@x/agentic-service"
import { createStore } from "vuex"
import { countRuns } from "./count-runs.mjs"

export const title = "Vuex"

export function create(initial) {
  const store = createStore({
    state: () => ({ todos: initial }),
    mutations: {
      write(state, todos) {
        state.todos = todos
      },
      touch(state) {
        state.todos[0].done = true
      },
    },
  })
  const runs = countRuns(() => store.commit("write", JSON.parse(JSON.stringify(store.state.todos))))
  return {
    source: store,
    it: {
      watch: (get, ...rest) =>
        store.watch(
          (state) => {
            runs.count()
            return get(state)
          },
          ...rest,
        ),
    },
    write: (todos) => store.commit("write", todos),
    touch: () => store.commit("touch"),
    batch(one, two) {
      store.commit("write", one)
      store.commit("write", two)
    },
    listen: (heard) =>
      store.watch(
        ({ todos }) => todos,
        (todos) => heard(JSON.parse(JSON.stringify(todos))),
        { deep: true, immediate: true },
      ),
    followers: runs.perChange,
  }
}

export const named = "Vuex"
export const inner = ({ todos }) => todos

export const line = ({ it }) =>
  source.observe((notify) =>
    it.watch(
      (state) => state,
      (state) => notify(state),
      { deep: true, immediate: true },
    ),
  )
