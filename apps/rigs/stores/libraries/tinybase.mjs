import { createStore } from "tinybase"

export const title = "TinyBase"
export const onlyTodos = true

export function create(initial) {
  const source = createStore()
  // TinyBase has no empty tables.
  const write = (todos) => {
    if (todos.length === 0) source.delTable("todos")
    else source.setTable("todos", { ...todos })
  }
  write(initial)
  return {
    source,
    it: source,
    write,
    touch: () => void source.setCell("todos", "0", "done", true),
    batch: (one, two) =>
      source.transaction(() => {
        write(one)
        write(two)
      }),
    listen(heard) {
      const tell = () => heard(inner(source.getTable("todos")))
      tell()
      const id = source.addTableListener("todos", tell)
      return () => source.delListener(id)
    },
    followers: () => source.getListenerStats().table,
  }
}

/** Returns the rows, which a table indexes by id. */
export const inner = (table) => Object.values(table)

export const line = ({ it }) => ({
  get: () => it.getTable("todos"),
  subscribe(notify) {
    const id = it.addTableListener("todos", notify)
    return () => it.delListener(id)
  },
})
