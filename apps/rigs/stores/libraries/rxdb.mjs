import { createRxDatabase } from "rxdb"
import { getRxStorageMemory } from "rxdb/plugins/storage-memory"

export const title = "RxDB"
export const onlyTodos = true

let databases = 0

const schema = {
  version: 0,
  primaryKey: "id",
  type: "object",
  properties: { id: { type: "string", maxLength: 10 }, title: { type: "string" }, done: { type: "boolean" } },
  required: ["id", "title", "done"],
}

export async function create(initial) {
  const db = await createRxDatabase({ name: `todos${databases++}`, storage: getRxStorageMemory() })
  const { todos } = await db.addCollections({ todos: { schema } })
  const write = async (next) => {
    const ids = next.map((_, index) => String(index))
    await todos.find({ selector: { id: { $nin: ids } } }).remove()
    await todos.bulkUpsert(next.map((todo, index) => ({ ...todo, id: ids[index] })))
  }
  await write(initial)
  const query = todos.find({ sort: [{ id: "asc" }] })
  const source = query.$
  return {
    source,
    write,
    touch: async () => (await todos.findOne("0").exec()).patch({ done: true }),
    async batch(one, two) {
      await write(one)
      await write(two)
    },
    listen(heard) {
      const subscription = source.subscribe((documents) => heard(inner(documents.map((one) => one.toJSON()))))
      return () => subscription.unsubscribe()
    },
    followers: () => query.refCount$.observers.length,
  }
}

/** Removes the primary key, which RxDB keeps in each document. */
export const inner = (documents) => documents.map(({ title, done }) => ({ title, done }))
