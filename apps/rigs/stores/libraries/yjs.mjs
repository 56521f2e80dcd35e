import { Doc, Map as SharedMap } from "yjs"

export const title = "Yjs"
export const onlyTodos = true

export function create(initial) {
  const doc = new Doc()
  const source = doc.getArray("todos")
  const write = (todos) =>
    doc.transact(() => {
      source.delete(0, source.length)
      source.push(todos.map((todo) => new SharedMap(Object.entries(todo))))
    })
  write(initial)
  return {
    source,
    it: source,
    write,
    touch: () => source.get(0).set("done", true),
    batch: (one, two) =>
      doc.transact(() => {
        write(one)
        write(two)
      }),
    listen(heard) {
      const tell = () => heard(source.toJSON())
      tell()
      source.observeDeep(tell)
      return () => source.unobserveDeep(tell)
    },
    followers: () => source._dEH.l.length,
  }
}

export const line = ({ it }) => ({
  get: () => it.toJSON(),
  subscribe(notify) {
    it.observeDeep(notify)
    return () => it.unobserveDeep(notify)
  },
})
