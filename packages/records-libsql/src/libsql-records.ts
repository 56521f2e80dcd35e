import { findOptionFault, type JsonValue, toMessage, unref } from "@x/base"
import { type CollectionOptions, type RecordCollection, RecordError, type RecordStore } from "@x/records"
import { type CollectionRules, closedError, readCollectionOptions } from "@x/records/binding"
import { type Database, openDatabase } from "./database.js"
import { createShelf, type Poll, type Shelf } from "./shelf.js"
import { TABLES } from "./tables.js"

/** Options of a file store. */
export interface LibsqlRecordsOptions {
  /** The file. It and its folder are created if missing, readable by their owner only. */
  readonly file: string
  /** How often watches look for changes of other processes, in milliseconds. Default 100. */
  readonly pollMs?: number
}

/**
 * Creates a store in one file, which several processes of a machine may share. A write is on disk when its promise resolves,
 * even if the process is killed. The file is opened at the first use; if that fails, the next use tries again.
 *
 * It needs the package `libsql`, or Bun.
 *
 * @throws `RecordError` `invalid` for impossible options; `unavailable` from each operation while the file cannot be opened or written.
 * @example
 * ```ts
 * import { mkdtempSync } from "node:fs"
 * import { tmpdir } from "node:os"
 * import { join } from "node:path"
 * import { createLibsqlRecords } from "@x/records-libsql"
 *
 * const file = join(mkdtempSync(join(tmpdir(), "records-")), "records.db")
 * const records = createLibsqlRecords({ file })
 * const tasks = records.collection<string>({ name: "tasks", ttlMs: 3_600_000, full: "refuse" })
 * await tasks.create("t1", "running", { owner: "ann" })
 * await records.close()
 *
 * const again = createLibsqlRecords({ file })
 * const found = await again.collection<string>({ name: "tasks", ttlMs: 3_600_000, full: "refuse" }).read("t1")
 * console.log(found?.value, found?.owner) // running ann
 * await again.close()
 * ```
 */
export function createLibsqlRecords(options: LibsqlRecordsOptions): RecordStore {
  const fault = findOptionFault(options, { file: "text", pollMs: { from: 1 } })
  if (fault !== undefined) throw new RecordError(fault, { code: "invalid" })
  const { file, pollMs = 100 } = options
  const opened = new Map<string, { readonly rules: CollectionRules; readonly shelf: Shelf }>()
  let database: Promise<Database> | undefined
  let ready: Database | undefined
  let closed = false
  const open = (): Promise<Database> => {
    if (closed) throw closedError()
    database ??= openDatabase(file, TABLES).then(
      (made) => {
        ready = made
        return made
      },
      (cause: unknown) => {
        database = undefined
        throw cause
      },
    )
    return database
  }
  /** Turns the driver's failures into the store's. */
  const use = async <Result>(work: (database: Database) => Promise<Result>): Promise<Result> => {
    try {
      return await work(await open())
    } catch (cause) {
      if (cause instanceof RecordError) throw cause
      if (closed) throw closedError()
      throw new RecordError(`the record store "${file}" cannot be used: ${toMessage(cause)}`, {
        code: "unavailable",
        cause,
      })
    }
  }
  const poll = createPoll(pollMs, () => Promise.all([...opened.values()].map(({ shelf }) => shelf.look())))
  return {
    collection<Value extends JsonValue>(options: CollectionOptions): RecordCollection<Value> {
      if (closed) throw closedError()
      const rules = readCollectionOptions(options)
      const known = opened.get(rules.name) ?? { rules, shelf: createShelf(rules, { use, poll, ready: () => ready }) }
      if (JSON.stringify(known.rules) !== JSON.stringify(rules)) {
        throw new RecordError(`the collection "${rules.name}" is open with other options: expected the same`, {
          code: "invalid",
        })
      }
      opened.set(rules.name, known)
      return known.shelf.collection<Value>()
    },
    async close() {
      if (closed) return
      closed = true
      poll.stop()
      const open = await database?.catch(() => undefined)
      open?.close()
    },
  }
}

function createPoll(ms: number, look: () => Promise<unknown>): Poll {
  const watches = new Set<symbol>()
  let timer: ReturnType<typeof setInterval> | undefined
  let looking = false
  const tick = (): void => {
    if (looking) return
    looking = true
    // A failure is told to whoever reads or writes; the next look may succeed.
    void look()
      .catch(() => undefined)
      .then(() => {
        looking = false
      })
  }
  const stop = (): void => {
    watches.clear()
    clearInterval(timer)
    timer = undefined
  }
  return {
    begin() {
      const watch = Symbol("watch")
      watches.add(watch)
      timer ??= setInterval(tick, ms)
      unref(timer)
      return () => {
        if (watches.delete(watch) && watches.size === 0) stop()
      }
    },
    stop,
  }
}
