import { createCollection, localOnlyCollectionOptions } from "@tanstack/db"

export const title = "TanStack DB"
export const packages = ["@tanstack/db"]
export const onlyTodos = true

let collections = 0

export function create(initial) {
  const initialData = withIds(initial)
  const options = { id: `todos${collections++}`, getKey: ({ id }) => id, initialData }
  const source = createCollection(localOnlyCollectionOptions(options))
  source.startSyncImmediate()
  const write = (todos) => {
    const next = withIds(todos)
    for (const { id } of source.toArray) if (!next.some((todo) => todo.id === id)) source.delete(id)
    for (const todo of next) {
      if (source.has(todo.id)) source.update(todo.id, (draft) => void Object.assign(draft, todo))
      else source.insert(todo)
    }
  }
  return {
    source,
    it: source,
    write,
    touch: () =>
      source.update(0, (draft) => {
        draft.done = true
      }),
    batch(one, two) {
      write(one)
      write(two)
    },
    listen(heard) {
      const tell = () => heard(inner(source.toArray))
      tell()
      const subscription = source.subscribeChanges(tell, { includeInitialState: true })
      return () => subscription.unsubscribe()
    },
    followers: () => source.subscriberCount,
  }
}

function withIds(todos) {
  return todos.map((todo, id) => ({ ...todo, id }))
}

/** A row has its key in it. */
export const inner = (rows) => rows.map(({ title, done }) => ({ title, done }))

// Without the initial state, it tells of no row that it has not told of before, so not of its end either.
export const line = ({ it }) => ({
  get: () => it.toArray,
  subscribe: (notify) => it.subscribeChanges(notify, { includeInitialState: true }),
})
