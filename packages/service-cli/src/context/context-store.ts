import { ServiceError } from "@x/agentic-service"
import { parseJson, toMessage } from "@x/base"
import { type Database, openDatabase, type Row } from "@x/records-libsql/database"

/** A note that an agent writes, to find it in a later call. */
export interface ContextNote {
  /** The text. */
  readonly text: string
  /** The title. Matches here rank higher than in the text. Default: none. */
  readonly title?: string
  /** Tags to find it by, matched as whole words. Default: none. */
  readonly tags?: readonly string[]
}

/** A stored note. */
export interface ContextEntry extends ContextNote {
  /** A unique id within the store. */
  readonly id: number
  /** The agent that wrote it. */
  readonly agent: string
  /** The tags; may be empty. */
  readonly tags: readonly string[]
  /** The time of writing in ISO 8601. */
  readonly writtenAt: string
}

/** A search for notes. */
export interface ContextQuery {
  /**
   * Search words, matched by prefix. Returns notes that contain all of them, or any of them if none contains all. Default: any
   * note.
   */
  readonly text?: string
  /** Tags that a note must all have. Default: any. */
  readonly tags?: readonly string[]
  /** The most results. Default 10. */
  readonly limit?: number
  /** Whether to search other agents' notes in the same file, too. Default `false`. */
  readonly everyAgent?: boolean
}

/** How much a store keeps. */
export interface ContextLimits {
  /** The most bytes of one note; larger ones are rejected. Default 65,536. */
  readonly noteBytes: number
  /** The most notes of one principal; the oldest are dropped first. Default 10,000. */
  readonly notes: number
  /** The most bytes of one principal; the oldest notes are dropped first. Default 16,777,216. */
  readonly bytes: number
  /**
   * The most bytes in total. Beyond that, the oldest notes of the principal with the most bytes are dropped. Default
   * 268,435,456.
   */
  readonly allBytes: number
}

/** The default limits. */
export const defaultContextLimits: ContextLimits = {
  noteBytes: 65_536,
  notes: 10_000,
  bytes: 16_777_216,
  allBytes: 268_435_456,
}

/** Notes in a file, separate for each principal. */
export interface ContextStore {
  /** Writes a note. When the promise resolves, it is on disk, even if the process is killed. */
  write(owner: string | undefined, note: ContextNote | string): Promise<ContextEntry>
  /** Finds notes, best match first; without words, newest first. */
  search(owner: string | undefined, query: ContextQuery | string): Promise<readonly ContextEntry[]>
  /** Closes the file. The next use opens it again. */
  close(): Promise<void>
}

/** Options of a store. */
export interface ContextStoreOptions {
  /** The file. It and its folder are created if missing, readable by their owner only. */
  readonly file: string
  /** The agent that writes. */
  readonly agent: string
  /** How much the store keeps. */
  readonly limits: ContextLimits
}

/** Creates a store that opens its file on first use. Several processes may share the file. */
export function createContextStore({ file, agent, limits }: ContextStoreOptions): ContextStore {
  let opened: Promise<Database> | undefined
  const open = (): Promise<Database> => {
    opened ??= openDatabase(file, { name: "the context store", schema: SCHEMA, version: 1 }).catch((cause: unknown) => {
      opened = undefined
      const why = toMessage(cause)
      throw new Error(`the context store "${file}" cannot be opened: ${why}`, { cause })
    })
    return opened
  }
  return {
    async write(owner, given) {
      const note = checkNote(typeof given === "string" ? { text: given } : given, limits)
      const database = await open()
      const insertion = (): ContextEntry => {
        const entry = insert(database, { owner, agent, note })
        makeRoom(database, toKey(owner), limits)
        return entry
      }
      return database.transaction(insertion).catch((cause: unknown) => {
        const why = toMessage(cause)
        throw new Error(`the context store "${file}" cannot be written, so the note was not kept: ${why}`, { cause })
      })
    },
    async search(owner, given) {
      const query = checkQuery(typeof given === "string" ? { text: given } : given)
      const database = await open()
      return database.read(() => find(database, { owner, agent, query }))
    },
    async close() {
      const database = await opened?.catch(() => undefined)
      opened = undefined
      database?.close()
    },
  }
}

const SCHEMA = `
  CREATE TABLE notes (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    owner TEXT NOT NULL,
    agent TEXT NOT NULL,
    title TEXT NOT NULL,
    text TEXT NOT NULL,
    tags TEXT NOT NULL,
    size INTEGER NOT NULL,
    written_at TEXT NOT NULL
  );
  CREATE INDEX notes_by_owner ON notes (owner, id);
  CREATE VIRTUAL TABLE notes_words USING fts5 (
    title, text, content = 'notes', content_rowid = 'id', tokenize = 'unicode61 remove_diacritics 2'
  );
  CREATE TRIGGER notes_written AFTER INSERT ON notes BEGIN
    INSERT INTO notes_words (rowid, title, text) VALUES (new.id, new.title, new.text);
  END;
  CREATE TRIGGER notes_gone AFTER DELETE ON notes BEGIN
    INSERT INTO notes_words (notes_words, rowid, title, text) VALUES ('delete', old.id, old.title, old.text);
  END;
`

/** Unknown principals get a key that no id can produce. */
function toKey(owner: string | undefined): string {
  return owner === undefined ? "" : `=${owner}`
}

/** Whose notes, and of which agent. */
interface Asked {
  readonly owner: string | undefined
  readonly agent: string
}

function insert(
  database: Database,
  { owner, agent, note }: Asked & { readonly note: Required<ContextNote> },
): ContextEntry {
  const { title, text, tags } = note
  const writtenAt = new Date().toISOString()
  const [row] = database.all(
    `INSERT INTO notes (owner, agent, title, text, tags, size, written_at) VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING id`,
    [toKey(owner), agent, title, text, JSON.stringify(tags), sizeOf(note), writtenAt],
  )
  return toEntry({ ...row, agent, title, text, tags: JSON.stringify(tags), written_at: writtenAt })
}

/** Drops the oldest notes: first of the writer, then of the principal with the most bytes. */
function makeRoom(database: Database, key: string, { notes, bytes, allBytes }: ContextLimits): void {
  database.run(
    `DELETE FROM notes WHERE owner = ?1 AND id <= (SELECT id FROM notes WHERE owner = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2)`,
    [key, notes],
  )
  shrink(database, key, bytes)
  for (;;) {
    const [all] = database.all("SELECT total(size) AS size FROM notes", [])
    const over = Number(all?.["size"]) - allBytes
    if (over <= 0) return
    const [most] = database.all(
      "SELECT owner, sum(size) AS size FROM notes GROUP BY owner ORDER BY sum(size) DESC LIMIT 1",
      [],
    )
    shrink(database, String(most?.["owner"]), Number(most?.["size"]) - over)
  }
}

/** Drops one owner's oldest notes until at most that many bytes remain. */
function shrink(database: Database, key: string, bytes: number): void {
  database.run(
    `DELETE FROM notes WHERE id IN (
       SELECT id FROM (SELECT id, sum(size) OVER (ORDER BY id DESC) AS kept FROM notes WHERE owner = ?1) WHERE kept > ?2
     )`,
    [key, bytes],
  )
}

function find(database: Database, { owner, agent, query }: Asked & { readonly query: Required<ContextQuery> }) {
  const { text, tags, limit, everyAgent } = query
  const words = (text.match(/[\p{L}\p{N}\p{M}]+/gu) ?? []).slice(0, WORDS)
  const among = { key: toKey(owner), agent: everyAgent ? null : agent, tags: JSON.stringify(tags), limit }
  if (words.length === 0) return text.trim() === "" ? newest(database, among) : []
  const all = best(database, { ...among, match: words.map(toTerm).join(" AND ") })
  return all.length > 0 || words.length === 1
    ? all
    : best(database, { ...among, match: words.map(toTerm).join(" OR ") })
}

/** The most words of a search. SQLite rejects longer expressions as too deep. */
const WORDS = 32

/** Quotes a word, to keep SQLite from parsing it as query syntax. */
function toTerm(word: string): string {
  return `"${word}" *`
}

/** Restricts a search. */
interface Among {
  readonly key: string
  readonly agent: string | null
  readonly tags: string
  readonly limit: number
}

const AMONG = `notes.owner = ?1 AND (?2 IS NULL OR notes.agent = ?2) AND NOT EXISTS (
  SELECT 1 FROM json_each(?3) AS wanted WHERE wanted.value NOT IN (SELECT value FROM json_each(notes.tags))
)`

function newest(database: Database, { key, agent, tags, limit }: Among): readonly ContextEntry[] {
  const found = `SELECT notes.* FROM notes WHERE ${AMONG} ORDER BY id DESC LIMIT ?4`
  return database.all(found, [key, agent, tags, limit]).map(toEntry)
}

function best(
  database: Database,
  { key, agent, tags, limit, match }: Among & { readonly match: string },
): readonly ContextEntry[] {
  const found = `SELECT notes.* FROM notes_words JOIN notes ON notes.id = notes_words.rowid
    WHERE notes_words MATCH ?5 AND ${AMONG} ORDER BY bm25(notes_words, 4.0, 1.0), notes.id DESC LIMIT ?4`
  return database.all(found, [key, agent, tags, limit, match]).map(toEntry)
}

function toEntry(row: Row): ContextEntry {
  const tags = parseJson(String(row["tags"]))
  return {
    id: Number(row["id"]),
    agent: String(row["agent"]),
    ...(row["title"] !== "" && { title: String(row["title"]) }),
    text: String(row["text"]),
    tags: Array.isArray(tags) ? tags.map(String) : [],
    writtenAt: String(row["written_at"]),
  }
}

function checkNote({ text, title = "", tags = [] }: ContextNote, { noteBytes }: ContextLimits): Required<ContextNote> {
  // Untyped code may pass anything.
  const given: readonly unknown[] = [text, title, ...tags]
  if (!given.every((part) => typeof part === "string")) {
    throw invalid(
      "found a note with a part that is not a string: expected text, and optionally a title and tags, as strings",
    )
  }
  const note = { text, title, tags }
  const size = sizeOf(note)
  if (size > noteBytes) throw invalid(`the note has ${size} bytes: expected at most ${noteBytes}`)
  return note
}

function sizeOf({ text, title, tags }: Required<ContextNote>): number {
  return Buffer.byteLength(text) + Buffer.byteLength(title) + Buffer.byteLength(JSON.stringify(tags))
}

function checkQuery({ text = "", tags = [], limit = 10, everyAgent = false }: ContextQuery): Required<ContextQuery> {
  if (!Number.isInteger(limit) || limit < 1 || limit > MOST) {
    throw invalid(`the limit is ${limit}: expected a whole number from 1 to ${MOST}`)
  }
  return { text, tags, limit, everyAgent }
}

/** The most results of one search. */
const MOST = 1_000

function invalid(message: string): ServiceError {
  return new ServiceError(message, { code: "invalid_input" })
}
