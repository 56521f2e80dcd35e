import { source } from "@x/agentic-service"
import PouchDB from "pouchdb"
import memory from "pouchdb-adapter-memory"

export const title = "PouchDB"
export const onlyTodos = true

PouchDB.plugin(memory)
let databases = 0

export async function create(initial) {
  const db = new PouchDB(`todos${databases++}`, { adapter: "memory" })
  const todos = async () => (await db.allDocs({ include_docs: true })).rows.map(({ doc }) => doc)
  let open = 0
  const changes = db.changes.bind(db)
  const counting = {
    allDocs: (...options) => db.allDocs(...options),
    changes(...options) {
      const feed = changes(...options)
      const cancel = feed.cancel.bind(feed)
      open += 1
      return Object.assign(feed, {
        cancel() {
          open -= 1
          cancel()
        },
      })
    },
  }
  const write = async (next) => {
    const before = new Map((await todos()).map((doc) => [doc._id, doc]))
    const docs = next.map((todo, id) => ({ ...todo, _id: String(id), _rev: before.get(String(id))?._rev }))
    const gone = [...before.values()].slice(next.length).map(({ _id, _rev }) => ({ _id, _rev, _deleted: true }))
    await db.bulkDocs([...docs, ...gone])
  }
  await write(initial)
  return {
    source: db.changes({ live: true, since: "now" }),
    db: counting,
    write,
    async touch() {
      await db.put({ ...(await db.get("0")), done: true })
    },
    // PouchDB's batch is a bulk write of documents, which still reports a change for each of them.
    batch: (_one, two) => write(two),
    listen(heard) {
      const read = async () => heard((await todos()).map(({ title, done }) => ({ title, done })))
      void read()
      const feed = db.changes({ live: true, since: "now" }).on("change", read)
      return () => feed.cancel()
    },
    followers: () => open,
  }
}

export const line = ({ db }) =>
  source.observe((notify) => {
    const read = async () => {
      const { rows } = await db.allDocs({ include_docs: true })
      notify(rows.map(({ doc: { title, done } }) => ({ title, done })))
    }
    void read()
    const feed = db.changes({ live: true, since: "now" }).on("change", read)
    return () => feed.cancel()
  })
