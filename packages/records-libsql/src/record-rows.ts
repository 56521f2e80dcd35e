import type { JsonValue } from "@x/base"
import type { CreateOptions, StoredRecord } from "@x/records"
import { type CheckedValue, type CollectionRules, fullError } from "@x/records/binding"
import type { Database, Row } from "./database.js"

/** A checked write. */
interface Written extends CheckedValue {
  readonly key: string
}

/** Inserts a record, unless its key has one, and returns its row. */
export function insertRow(
  database: Database,
  rules: CollectionRules,
  { key, options, text, bytes }: Written & { readonly options: CreateOptions },
): Row | undefined {
  const { name } = rules
  begin(database, name, key)
  if (findRow(database, name, key) !== undefined) return undefined
  const owner = toOwner(options.owner)
  makeRoom(database, rules, { owner, key, bytes, records: 1 })
  const revision = nextRevision(database, name)
  const life = options.ttlMs ?? rules.ttlMs
  const now = Date.now()
  database.run("DELETE FROM removed WHERE collection = ? AND key = ?", [name, key])
  const [row] = database.all("INSERT INTO records VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING *", [
    ...[name, key, owner, text, bytes, revision, revision, life],
    ...[now, now + life],
  ])
  return row
}

/** Replaces the value of a record that still has a revision, and returns its row. */
export function replaceRow(
  database: Database,
  rules: CollectionRules,
  { key, revision, text, bytes }: Written & { readonly revision: number },
): Row | undefined {
  const { name } = rules
  begin(database, name, key)
  const former = findRow(database, name, key)
  if (former === undefined || former["revision"] !== revision) return undefined
  const grown = bytes - Number(former["bytes"])
  makeRoom(database, rules, { owner: String(former["owner"]), key, bytes: grown, records: 0 })
  const expires = rules.renew ? Date.now() + Number(former["life"]) : Number(former["expires_at"])
  const [row] = database.all(
    `UPDATE records SET value = ?, bytes = ?, revision = ?, expires_at = ? WHERE collection = ? AND key = ? RETURNING *`,
    [text, bytes, nextRevision(database, name), expires, name, key],
  )
  return row
}

/** Removes a record, or only its given revision. Returns whether there was one. */
export function removeRow(
  database: Database,
  name: string,
  { key, revision }: { readonly key: string; readonly revision: number | undefined },
): boolean {
  begin(database, name, key)
  const found = findRow(database, name, key)
  if (found === undefined || (revision !== undefined && found["revision"] !== revision)) return false
  drop(database, name, key)
  return true
}

/** Returns the rows of all records, or of one owner's, in the order of their creation. */
export function listRows(database: Database, name: string, owner: string | undefined): readonly Row[] {
  return database.all(
    `SELECT * FROM records WHERE collection = ?1 AND (?2 IS NULL OR owner = ?2) AND expires_at > ?3 ORDER BY place`,
    [name, owner === undefined ? null : toOwner(owner), Date.now()],
  )
}

/** Begins a write of a key: its collection has a row, and some of what has expired is gone, the key's own record at least. */
function begin(database: Database, name: string, key: string): void {
  database.run("INSERT OR IGNORE INTO collections VALUES (?, 0, 0, 0)", [name])
  dropExpired(database, name, key)
}

/** Drops records that have expired: at most 100, so that no write takes long, and the one of the key. */
function dropExpired(database: Database, name: string, key: string): void {
  database.run(
    `DELETE FROM records WHERE collection = ?1 AND expires_at <= ?2 AND (key = ?3 OR key IN (
       SELECT key FROM records WHERE collection = ?1 AND expires_at <= ?2 LIMIT 100
     ))`,
    [name, Date.now(), key],
  )
}

/** Returns the row of a record that has not expired. */
export function findRow(database: Database, name: string, key: string): Row | undefined {
  const [row] = database.all("SELECT * FROM records WHERE collection = ? AND key = ? AND expires_at > ?", [
    ...[name, key],
    Date.now(),
  ])
  return row
}

/** Removes a record, and notes that for watches. */
function drop(database: Database, name: string, key: string): void {
  const revision = nextRevision(database, name)
  database.run("DELETE FROM records WHERE collection = ? AND key = ?", [name, key])
  database.run("INSERT OR REPLACE INTO removed VALUES (?, ?, ?)", [name, key, revision])
  database.run("DELETE FROM removed WHERE collection = ? AND revision < ?", [name, revision - NOTED])
}

/** How many revisions a removal is noted. More than one process can write between two looks of another. */
const NOTED = 10_000

/** Returns the revision of a collection's last write; 0 before the first. */
export function revisionOf(database: Database, name: string): number {
  return Number(database.all("SELECT revision FROM collections WHERE name = ?", [name])[0]?.["revision"] ?? 0)
}

/** Counts a write. */
function nextRevision(database: Database, name: string): number {
  const rows = database.all("UPDATE collections SET revision = revision + 1 WHERE name = ? RETURNING revision", [name])
  return Number(rows[0]?.["revision"])
}

/** A write that needs room. */
interface Need {
  readonly owner: string
  readonly bytes: number
  readonly records: number
  /** The written key. Evictions spare it. */
  readonly key: string
}

/** Makes room for a write by dropping expired records; then refuses the write, or evicts others. */
function makeRoom(database: Database, rules: CollectionRules, need: Need): void {
  const { name, full } = rules
  if (exceeded(database, rules, need) === undefined) return
  database.run("DELETE FROM records WHERE collection = ? AND expires_at <= ?", [name, Date.now()])
  for (let over = exceeded(database, rules, need); over !== undefined; over = exceeded(database, rules, need)) {
    const payer = over === "owner" ? need.owner : largestOwner(database, name)
    const [oldest] =
      full === "refuse"
        ? []
        : database.all(
            "SELECT key FROM records WHERE collection = ? AND owner = ? AND key <> ? ORDER BY place LIMIT 1",
            [name, payer, need.key],
          )
    if (oldest === undefined) throw fullError(rules, over)
    drop(database, name, String(oldest["key"]))
  }
}

/** Returns which limit a write would exceed. */
function exceeded(database: Database, { name, limits }: CollectionRules, need: Need): "owner" | "all" | undefined {
  const [own] = database.all("SELECT * FROM owners WHERE collection = ? AND owner = ?", [name, need.owner])
  if (after(own, need, "records") > limits.ownerRecords || after(own, need, "bytes") > limits.ownerBytes) return "owner"
  const [all] = database.all("SELECT * FROM collections WHERE name = ?", [name])
  return after(all, need, "records") > limits.records || after(all, need, "bytes") > limits.bytes ? "all" : undefined
}

function after(row: Row | undefined, need: Need, column: "records" | "bytes"): number {
  return Number(row?.[column] ?? 0) + need[column]
}

/** Returns the owner with the most bytes; of several, the one with the oldest record. */
function largestOwner(database: Database, name: string): string {
  const [row] = database.all(
    `SELECT owner FROM records WHERE collection = ?1 AND owner IN (
       SELECT owner FROM owners WHERE collection = ?1 AND bytes = (SELECT max(bytes) FROM owners WHERE collection = ?1)
     ) ORDER BY place LIMIT 1`,
    [name],
  )
  return String(row?.["owner"])
}

/** Writes an owner as its column: nobody's records have one that no owner has. */
function toOwner(owner: string | undefined): string {
  return owner === undefined ? "" : `=${owner}`
}

/** Reads a record from an optional row. */
export function toRecord<Value extends JsonValue>(row: Row | undefined): StoredRecord<Value> | undefined {
  return row && toStored<Value>(row)
}

/** Reads a record from its row. */
export function toStored<Value extends JsonValue>(row: Row): StoredRecord<Value> {
  const owner = String(row["owner"])
  return {
    key: String(row["key"]),
    // Writes encoded a value of this type.
    value: JSON.parse(String(row["value"])) as Value,
    revision: Number(row["revision"]),
    ...(owner !== "" && { owner: owner.slice(1) }),
    createdAt: Number(row["created_at"]),
    expiresAt: Number(row["expires_at"]),
  }
}
