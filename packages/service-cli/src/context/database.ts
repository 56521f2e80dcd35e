import { closeSync, mkdirSync, openSync } from "node:fs"
import { dirname } from "node:path"
import { setTimeout as wait } from "node:timers/promises"

/** A row by column. */
export type Row = Readonly<Record<string, unknown>>

/** What goes into a statement in the place of `?`. */
export type Values = readonly (string | number | null)[]

/** An embedded database in one file, in the words that its drivers have in common. */
export interface Database {
  /** Runs statements that take no values and give no rows. */
  exec(sql: string): void
  /** Runs a statement. */
  run(sql: string, values: Values): void
  /** Runs a statement, and gives its rows. */
  all(sql: string, values: Values): readonly Row[]
  /**
   * Runs several statements as one: all of them or, where one throws, none. Nobody else writes meanwhile; while another
   * process does, this waits for its turn, and holds up nothing else.
   */
  transaction<Result>(work: () => Result): Promise<Result>
  /** Runs statements that only read; waits where another process is in the way. */
  read<Result>(work: () => Result): Promise<Result>
  /** Lets go of the file. */
  close(): void
}

/**
 * Opens a database that several processes may have open, and that loses nothing it has committed when one of them is killed.
 * The file and its folder are made where they are not there, for their owner alone.
 *
 * @param schema - The statements that make its tables.
 */
export async function openDatabase(file: string, schema: string): Promise<Database> {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  // The files beside it get the mode of this one.
  closeSync(openSync(file, "a", 0o600))
  const driver = await loadDriver()
  const connection = new driver(file)
  const database = wrap(connection)
  try {
    await setUp(database, schema)
  } catch (cause) {
    connection.close()
    throw cause
  }
  return database
}

/** What the drivers have in common. */
interface Driver {
  new (file: string): Connection
}

interface Connection {
  exec(sql: string): unknown
  prepare(sql: string): { run(...values: Values): unknown; all(...values: Values): unknown }
  close(): unknown
}

/** Bun has a driver of its own, which is in its compiled programs, too; for Node one comes with an npm package. */
async function loadDriver(): Promise<Driver> {
  if ("bun" in process.versions) {
    const module = "bun:sqlite"
    const { Database } = await import(module)
    return Database
  }
  try {
    const { default: Libsql } = await import("libsql")
    return Libsql as unknown as Driver // its types say of a statement's values only that there is one, a list
  } catch (cause) {
    throw new Error('the context store needs the package "libsql": expected it to be installed beside this one', {
      cause,
    })
  }
}

function wrap(connection: Connection): Database {
  return {
    exec: (sql) => void connection.exec(sql),
    run: (sql, values) => void connection.prepare(sql).run(...values),
    all: (sql, values) => connection.prepare(sql).all(...values) as readonly Row[], // both drivers give rows as objects
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
        // Else the next process has all of it to read again.
        connection.prepare("PRAGMA wal_checkpoint(TRUNCATE)").all()
      } catch {
        // As on a full disk. What was committed is in the log, which the next process reads.
      }
      connection.close()
    },
  }
}

/** Ends what failed. After some failures, such as a full disk, SQLite has done so already, and refuses to do it again. */
function rollBack(connection: Connection): void {
  try {
    connection.exec("ROLLBACK")
  } catch {
    // The first failure is the one to tell.
  }
}

async function setUp(database: Database, schema: string): Promise<void> {
  // The driver's own patience would hold up the whole process, and favours who writes without end.
  database.all("PRAGMA busy_timeout = 0", [])
  await database.read(() => database.all("PRAGMA journal_mode = WAL", []))
  // What has been committed is on the disk.
  database.all("PRAGMA synchronous = FULL", [])
  await database.transaction(() => {
    const [row] = database.all("PRAGMA user_version", [])
    const version = Number(row?.["user_version"])
    if (version > VERSION) throw new Error(`the file is of version ${version}: expected ${VERSION} at most`)
    if (version === VERSION) return
    database.exec(schema)
    database.exec(`PRAGMA user_version = ${VERSION}`)
  })
}

/** Does something, again and again while another process is in the way. */
async function inTurn<Result>(work: () => Result): Promise<Result> {
  const end = performance.now() + PATIENCE
  for (;;) {
    try {
      return work()
    } catch (cause) {
      if (!isBusy(cause) || performance.now() > end) throw cause
    }
    // By chance, so that several do not keep coming at the same moment.
    await wait(Math.random() * PAUSE)
  }
}

function isBusy(cause: unknown): boolean {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : ""
  return code.startsWith("SQLITE_BUSY") || code.startsWith("SQLITE_LOCKED")
}

/** The version of the tables. */
const VERSION = 1

/** How long one process waits for the others, in milliseconds. */
const PATIENCE = 10_000

/** The most milliseconds between two attempts. */
const PAUSE = 20
