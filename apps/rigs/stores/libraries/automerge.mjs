import { Repo } from "@automerge/automerge-repo"

export const title = "Automerge"
export const packages = ["@automerge/automerge-repo"]
export const onlyTodos = true

export function create(initial) {
  const source = new Repo({ network: [] }).create({ todos: initial })
  const write = (todos) =>
    source.change((doc) => {
      doc.todos = todos
    })
  return {
    source,
    it: source,
    write,
    touch: () =>
      source.change((doc) => {
        doc.todos[0].done = true
      }),
    batch(one, two) {
      write(one)
      write(two)
    },
    listen(heard) {
      const tell = () => heard(JSON.parse(JSON.stringify(source.doc().todos)))
      tell()
      source.on("change", tell)
      return () => source.off("change", tell)
    },
    followers: () => source.listenerCount("change"),
  }
}

export const inner = ({ todos }) => todos

export const line = ({ it }) => ({
  get: () => it.doc(),
  subscribe(notify) {
    it.on("change", notify)
    return () => it.off("change", notify)
  },
})
