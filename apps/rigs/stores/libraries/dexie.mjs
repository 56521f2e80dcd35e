import "fake-indexeddb/auto"
import { Dexie, liveQuery } from "dexie"
import { countRuns } from "./count-runs.mjs"

export const title = "Dexie"
export const onlyTodos = true

let databases = 0

export async function create(initial) {
  const db = new Dexie(`todos${databases++}`)
  db.version(1).stores({ todos: "++id" })
  const write = (todos) =>
    db.transaction("rw", db.todos, async () => {
      await db.todos.clear()
      await db.todos.bulkAdd(todos.map((todo, id) => ({ ...todo, id: id + 1 })))
    })
  await write(initial)
  const runs = countRuns(() => db.todos.toCollection().modify({ touched: 1 }))
  const source = liveQuery(async () => {
    runs.count()
    return (await db.todos.toArray()).map(({ title, done }) => ({ title, done }))
  })
  return {
    source,
    write,
    touch: () => db.todos.update(1, { done: true }),
    async batch(one, two) {
      await db.transaction("rw", db.todos, async () => {
        await write(one)
        await write(two)
      })
    },
    listen(heard, failed) {
      const subscription = source.subscribe({ next: heard, error: failed })
      return () => subscription.unsubscribe()
    },
    followers: runs.perChange,
  }
}
