import type { JsonValue } from "@x/base"
import type { RecordChange, RecordCollection } from "@x/records"
import { type CollectionRules, checkWrite } from "@x/records/binding"
import type { Database, Row } from "./database.js"
import { findRow, insertRow, listRows, removeRow, replaceRow, revisionOf, toRecord, toStored } from "./record-rows.js"

/** A collection in a file. */
export interface Shelf {
  /** Returns the collection for a type of values. */
  collection<Value extends JsonValue>(): RecordCollection<Value>
  /** Tells the watches of what has changed since the last look, in this process or another. */
  look(): Promise<void>
}

/** Repeats a look at the file while something is watched. */
export interface Poll {
  /** Counts a watch. Returns a function that ends it. */
  begin(): () => void
  /** Stops for good. */
  stop(): void
}

/** Gives a shelf its file. */
export interface Site {
  /** Opens the file if it is not open, and turns the driver's failures into the store's. */
  use<Result>(work: (database: Database) => Promise<Result>): Promise<Result>
  /** The file, if it is open. */
  ready(): Database | undefined
  readonly poll: Poll
}

/** Creates a collection in a file that is opened later. */
export function createShelf(rules: CollectionRules, { use, poll, ready }: Site): Shelf {
  const { name } = rules
  const watches = new Set<Watch>()
  const look = async (): Promise<void> => {
    if (watches.size > 0) await use((database) => database.read(() => tellChanges(database, name, watches)))
  }
  /** Writes in a transaction, then tells this process's watches. */
  const write = async <Result>(work: (database: Database) => Result): Promise<Result> => {
    await Promise.all([...watches].map(({ begun }) => begun))
    const result = await use((database) => database.transaction(() => work(database)))
    await look()
    return result
  }
  const beginWatch = (tell: Watch["tell"]): (() => void) => {
    const watch: Watch = { last: undefined, tell }
    const start = (database: Database): void => {
      watch.last = revisionOf(database, name)
    }
    const open = ready()
    // Without a file, writes of this process wait for the watch to begin.
    if (open === undefined) watch.begun = use(async (database) => start(database)).catch(() => undefined)
    else start(open)
    watches.add(watch)
    const end = poll.begin()
    return () => {
      watches.delete(watch)
      end()
    }
  }
  const read = <Result>(work: (database: Database) => Result): Promise<Result> =>
    use((database) => database.read(() => work(database)))
  return {
    look,
    collection: <Value extends JsonValue>(): RecordCollection<Value> => ({
      async create(key, value, options = {}) {
        const checked = checkWrite(rules, { key, value, options })
        return write((database) => toRecord<Value>(insertRow(database, rules, { key, options, ...checked })))
      },
      async update(key, value, revision) {
        const checked = checkWrite(rules, { key, value })
        return write((database) => toRecord<Value>(replaceRow(database, rules, { key, revision, ...checked })))
      },
      read: (key) => read((database) => toRecord<Value>(findRow(database, name, key))),
      remove: (key, revision) => write((database) => removeRow(database, name, { key, revision })),
      list: ({ owner } = {}) => read((database) => listRows(database, name, owner).map((row) => toStored<Value>(row))),
      // Records have the type of their collection.
      watch: (tell) => beginWatch((change) => tell(change as RecordChange<Value>)),
    }),
  }
}

/** A listener and its last known revision. */
interface Watch {
  last: number | undefined
  /** Resolves once it has begun; absent if it began at once. */
  begun?: Promise<void>
  readonly tell: (change: RecordChange<JsonValue>) => void
}

function tellChanges(database: Database, name: string, watches: ReadonlySet<Watch>): void {
  const newest = revisionOf(database, name)
  for (const watch of [...watches]) {
    const { last = newest } = watch
    watch.last = newest
    if (last === newest) continue
    const rows = database.all(
      `SELECT * FROM records WHERE collection = ?1 AND revision > ?2 AND revision <= ?3
       UNION ALL SELECT collection, key, NULL, NULL, 0, revision, 0, 0, 0, 0 FROM removed
       WHERE collection = ?1 AND revision > ?2 AND revision <= ?3 ORDER BY revision`,
      [name, last, newest],
    )
    for (const row of rows) tell(watch, toChange(row))
  }
}

function toChange(row: Row): RecordChange<JsonValue> {
  const key = String(row["key"])
  return row["value"] === null ? { key } : { key, record: toStored(row) }
}

/** A listener that throws disturbs neither the write nor the others; its error goes uncaught, as rxjs does it. */
function tell(watch: Watch, change: RecordChange<JsonValue>): void {
  try {
    watch.tell(change)
  } catch (thrown) {
    queueMicrotask(() => {
      throw thrown
    })
  }
}
