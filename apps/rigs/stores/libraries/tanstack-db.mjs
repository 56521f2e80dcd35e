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

/** Removes the key, which TanStack DB keeps in each row. */
export const inner = (rows) => rows.map(({ title, done }) => ({ title, done }))

// Without the initial state, the collection reports no changes of rows that it has not sent before, nor their deletion.
export const line = ({ it }) => ({
  get: () => it.toArray,
  subscribe: (notify) => it.subscribeChanges(notify, { includeInitialState: true }),
})
