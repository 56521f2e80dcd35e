import { closeSync, mkdirSync, openSync } from "node:fs"
import { dirname } from "node:path"
import { setTimeout as wait } from "node:timers/promises"

/** A row by column. */
export type Row = Readonly<Record<string, unknown>>

/** The values of a statement's placeholders. */
export type Values = readonly (string | number | null)[]

/** An embedded database in one file, with the operations that its drivers share. */
export interface Database {
  /** Runs statements without values and rows. */
  exec(sql: string): void
  /** Runs a statement. */
  run(sql: string, values: Values): void
  /** Runs a statement and returns its rows. */
  all(sql: string, values: Values): readonly Row[]
  /**
   * Runs several statements as one transaction, which is rolled back if `work` throws. It waits while another process writes,
   * without blocking this process.
   */
  transaction<Result>(work: () => Result): Promise<Result>
  /** Runs statements that only read. It waits while another process has a lock. */
  read<Result>(work: () => Result): Promise<Result>
  /** Closes the file. */
  close(): void
}

/** The tables of a database. */
export interface Tables {
  /** The name for messages, such as "the record store". */
  readonly name: string
  /** The statements that create the tables. */
  readonly schema: string
  /** The schema version, counted from 1. The file stores it. */
  readonly version: number
}

/**
 * Opens a database that several processes may share. A killed process loses nothing that was committed. The file and its folder
 * are created if missing, readable by their owner only.
 *
 * @throws For a file in another format or a later version, and when Node finds no package "libsql".
 * @example
 * ```ts
 * import { mkdtempSync } from "node:fs"
 * import { tmpdir } from "node:os"
 * import { join } from "node:path"
 * import { openDatabase } from "@x/records-libsql/database"
 *
 * const file = join(mkdtempSync(join(tmpdir(), "words-")), "words.db")
 * const database = await openDatabase(file, { name: "the words", schema: "CREATE TABLE words (word TEXT)", version: 1 })
 * await database.transaction(() => database.run("INSERT INTO words VALUES (?)", ["tea"]))
 * console.log(await database.read(() => database.all("SELECT word FROM words", []).length)) // 1
 * database.close()
 * ```
 */
export async function openDatabase(file: string, tables: Tables): Promise<Database> {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  // SQLite's further files get the mode of this one.
  closeSync(openSync(file, "a", 0o600))
  const driver = await loadDriver(tables)
  const connection = new driver(file)
  const database = wrap(connection)
  try {
    await setUp(database, tables)
  } catch (cause) {
    connection.close()
    throw cause
  }
  return database
}

/** The part that the drivers share. */
interface Driver {
  new (file: string): Connection
}

interface Connection {
  exec(sql: string): unknown
  prepare(sql: string): { run(...values: Values): unknown; all(...values: Values): unknown }
  close(): unknown
}

/** Loads the driver: Bun has its own, also in compiled programs; Node needs an npm package. */
async function loadDriver({ name }: Tables): Promise<Driver> {
  if ("bun" in process.versions) {
    const module = "bun:sqlite"
    const { Database } = await import(module)
    return Database
  }
  try {
    const { default: Libsql } = await import("libsql")
    return Libsql as unknown as Driver // its types allow only one value, a list
  } catch (cause) {
    throw new Error(`${name} needs the package "libsql": install it in this project`, { cause })
  }
}

function wrap(connection: Connection): Database {
  return {
    exec: (sql) => void connection.exec(sql),
    run: (sql, values) => void connection.prepare(sql).run(...values),
    all: (sql, values) => connection.prepare(sql).all(...values) as readonly Row[], // both drivers return rows as objects
    transaction: (work) =>
      inTurn(() => {
        connection.exec("BEGIN IMMEDIATE")
        try {
          const result = work()
          connection.exec("COMMIT")
          return result
        } catch (cause) {
          rollBack(connection)
          throw cause
        }
      }),
    read: inTurn,
    close() {
      try {
        // Otherwise the next process must read the whole log.
        connection.prepare("PRAGMA wal_checkpoint(TRUNCATE)").all()
      } catch {
        // This fails on a full disk, for example. Committed data stays in the log, which the next process reads.
      }
      connection.close()
    },
  }
}

/** Rolls back. After some failures, such as a full disk, SQLite has already done so and rejects another attempt. */
function rollBack(connection: Connection): void {
  try {
    connection.exec("ROLLBACK")
  } catch {
    // The first failure is the one to report.
  }
}

async function setUp(database: Database, { name, schema, version }: Tables): Promise<void> {
  // The driver's own timeout would block the whole process, and favours constant writers.
  database.all("PRAGMA busy_timeout = 0", [])
  await database.read(() => database.all("PRAGMA journal_mode = WAL", []))
  // A commit returns once its data is on disk.
  database.all("PRAGMA synchronous = FULL", [])
  await database.transaction(() => {
    const [row] = database.all("PRAGMA user_version", [])
    const found = Number(row?.["user_version"])
    if (found > version) {
      throw new Error(`the file of ${name} has version ${found}: expected at most ${version}, update the program`)
    }
    if (found === version) return
    database.exec(schema)
    database.exec(`PRAGMA user_version = ${version}`)
  })
}

/** Repeats an operation while another process has a lock. */
async function inTurn<Result>(work: () => Result): Promise<Result> {
  const end = performance.now() + PATIENCE
  for (;;) {
    try {
      return work()
    } catch (cause) {
      if (!isBusy(cause) || performance.now() > end) throw cause
    }
    // A random pause, so that several processes do not keep colliding.
    await wait(Math.random() * PAUSE)
  }
}

function isBusy(cause: unknown): boolean {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : ""
  return code.startsWith("SQLITE_BUSY") || code.startsWith("SQLITE_LOCKED")
}

/** How long one process waits for others, in milliseconds. */
const PATIENCE = 10_000

/** The longest pause between two attempts, in milliseconds. */
const PAUSE = 20
