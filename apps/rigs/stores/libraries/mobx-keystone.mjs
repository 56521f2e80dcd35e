import { onSnapshot as follow, getSnapshot, Model, model, prop, runUnprotected } from "mobx-keystone"

export const title = "mobx-keystone"

const Todos = model("stores/Todos")(class extends Model({ todos: prop() }) {})

let open = 0

function onSnapshot(it, notify) {
  const stop = follow(it, notify)
  open += 1
  return () => {
    open -= 1
    stop()
  }
}

export function create(initial) {
  const source = new Todos({ todos: initial })
  const set = (todos) => {
    source.todos = todos
  }
  return {
    source,
    it: source,
    write: (todos) => runUnprotected(() => set(todos)),
    touch: () =>
      runUnprotected(() => {
        source.todos[0].done = true
      }),
    batch: (one, two) =>
      runUnprotected(() => {
        set(one)
        set(two)
      }),
    listen(heard) {
      heard(getSnapshot(source).todos)
      return onSnapshot(source, ({ todos }) => heard(todos))
    },
    followers: () => open,
  }
}

export const named = "mobx-keystone"
export const inner = ({ todos }) => todos

export const line = ({ it }) => ({ get: () => getSnapshot(it), subscribe: (notify) => onSnapshot(it, notify) })
