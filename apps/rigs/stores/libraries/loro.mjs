import { LoroDoc, LoroMap } from "loro-crdt"
import { counted } from "./counted.mjs"

export const title = "Loro"
export const packages = ["loro-crdt"]
export const onlyTodos = true

export function create(initial) {
  const doc = new LoroDoc()
  const { store: source, followers } = counted(doc.getList("todos"))
  const fill = (todos) => {
    source.clear()
    for (const [index, todo] of todos.entries()) {
      const map = source.insertContainer(index, new LoroMap())
      for (const [key, value] of Object.entries(todo)) map.set(key, value)
    }
  }
  const write = (todos) => {
    fill(todos)
    doc.commit()
  }
  write(initial)
  return {
    source,
    it: source,
    alsoRefused: [doc],
    write,
    touch() {
      source.get(0).set("done", true)
      doc.commit()
    },
    batch(one, two) {
      fill(one)
      fill(two)
      doc.commit()
    },
    listen(heard) {
      heard(source.toJSON())
      return source.subscribe(() => heard(source.toJSON()))
    },
    followers,
  }
}

export const named = "Loro"

export const line = ({ it }) => ({ get: () => it.toJSON(), subscribe: (notify) => it.subscribe(notify) })
