import type { JsonValue } from "@x/base"
import { type CollectionRules, checkWrite, closedError, fullError, readCollectionOptions } from "./check-write.js"
import {
  type CollectionOptions,
  type RecordChange,
  type RecordCollection,
  RecordError,
  type RecordStore,
  type StoredRecord,
} from "./record-store.js"

/**
 * Creates a store in this process's memory. It ends with the process.
 *
 * @example
 * ```ts
 * import { createMemoryRecords } from "@x/records"
 *
 * const records = createMemoryRecords()
 * const answers = records.collection<string>({ name: "answers", ttlMs: 60_000, full: "refuse" })
 * const claims = await Promise.all([answers.create("q1", "yes"), answers.create("q1", "no")])
 * console.log(claims.map((claim) => claim?.value)) // [ 'yes', undefined ]
 * await records.close()
 * ```
 */
export function createMemoryRecords(): RecordStore {
  const shelves = new Map<string, Shelf>()
  let closed = false
  const check = (): void => {
    if (closed) throw closedError()
  }
  return {
    collection<Value extends JsonValue>(options: CollectionOptions) {
      check()
      const rules = readCollectionOptions(options)
      const shelf = shelves.get(rules.name) ?? createShelf(rules)
      if (JSON.stringify(shelf.rules) !== JSON.stringify(rules)) {
        throw new RecordError(`the collection "${rules.name}" is open with other options: expected the same`, {
          code: "invalid",
        })
      }
      shelves.set(rules.name, shelf)
      return toCollection<Value>(shelf, check)
    },
    async close() {
      closed = true
      for (const { listeners } of shelves.values()) listeners.clear()
      shelves.clear()
    },
  }
}

/** A record in memory. JSON text protects its value from changes outside. */
interface Kept {
  readonly key: string
  readonly owner: string | undefined
  readonly text: string
  readonly bytes: number
  readonly revision: number
  readonly life: Life
}

/** The time of a record. */
interface Life {
  readonly ms: number
  readonly createdAt: number
  readonly expiresAt: number
  /** The same expiry on the monotonic clock: setting the wall clock forward and back brings no record back. */
  readonly passedAt: number
}

/** The records of one owner. */
interface Share {
  readonly keys: Set<string>
  bytes: number
}

/** The records of a collection, by key in the order of their creation. */
interface Shelf {
  readonly rules: CollectionRules
  readonly kept: Map<string, Kept>
  readonly shares: Map<string | undefined, Share>
  readonly listeners: Set<(change: RecordChange<JsonValue>) => void>
  revision: number
  bytes: number
}

function createShelf(rules: CollectionRules): Shelf {
  return { rules, kept: new Map(), shares: new Map(), listeners: new Set(), revision: 0, bytes: 0 }
}

function toCollection<Value extends JsonValue>(shelf: Shelf, check: () => void): RecordCollection<Value> {
  const { rules, kept, listeners } = shelf
  return {
    async create(key, value, options = {}) {
      check()
      const { text, bytes } = checkWrite(rules, { key, value, options })
      if (find(shelf, key) !== undefined) return undefined
      const lifeMs = options.ttlMs ?? rules.ttlMs
      makeRoom(shelf, { owner: options.owner, bytes, records: 1, key })
      return toRecord(put(shelf, { key, owner: options.owner, text, bytes, life: beginLife(lifeMs) }), value)
    },
    async update(key, value, revision) {
      check()
      const { text, bytes } = checkWrite(rules, { key, value })
      const former = find(shelf, key)
      if (former?.revision !== revision) return undefined
      makeRoom(shelf, { owner: former.owner, bytes: bytes - former.bytes, records: 0, key })
      const { owner, life } = former
      const renewed = rules.renew ? { ...beginLife(life.ms), createdAt: life.createdAt } : life
      return toRecord(put(shelf, { key, owner, text, bytes, life: renewed }), value)
    },
    async read(key) {
      check()
      const found = find(shelf, key)
      return found && toStored(found)
    },
    async remove(key, revision) {
      check()
      const found = find(shelf, key)
      if (found === undefined || (revision !== undefined && found.revision !== revision)) return false
      drop(shelf, found)
      shelf.revision += 1
      tell(shelf, { key })
      return true
    },
    async list({ owner } = {}) {
      check()
      const keys = owner === undefined ? kept.keys() : (shelf.shares.get(owner)?.keys ?? [])
      return [...keys].flatMap((key) => find(shelf, key) ?? []).map((each) => toStored<Value>(each))
    },
    watch(listener) {
      check()
      // A listener may watch twice, so each watch has its own function. Records have the type of their collection.
      const own = (change: RecordChange<JsonValue>): void => listener(change as RecordChange<Value>)
      listeners.add(own)
      return () => void listeners.delete(own)
    },
  }
}

function beginLife(ms: number): Life {
  const now = Date.now()
  return { ms, createdAt: now, expiresAt: now + ms, passedAt: performance.now() + ms }
}

/** Returns a record that has not expired; drops one that has. */
function find(shelf: Shelf, key: string): Kept | undefined {
  const found = shelf.kept.get(key)
  if (found === undefined || !isOver(found)) return found
  drop(shelf, found)
  return undefined
}

function isOver({ life: { expiresAt, passedAt } }: Kept): boolean {
  return Date.now() >= expiresAt || performance.now() >= passedAt
}

function put(shelf: Shelf, { key, owner, text, bytes, life }: Omit<Kept, "revision">): Kept {
  const former = shelf.kept.get(key)
  shelf.revision += 1
  const kept: Kept = { key, owner, text, bytes, revision: shelf.revision, life }
  // A key that is set again keeps its place in both orders.
  shelf.kept.set(kept.key, kept)
  const share = shelf.shares.get(kept.owner) ?? { keys: new Set(), bytes: 0 }
  shelf.shares.set(kept.owner, share)
  share.keys.add(kept.key)
  const grown = kept.bytes - (former?.bytes ?? 0)
  share.bytes += grown
  shelf.bytes += grown
  if (shelf.listeners.size > 0) tell(shelf, { key, record: toStored(kept) })
  return kept
}

function drop(shelf: Shelf, { key, owner, bytes }: Kept): void {
  shelf.kept.delete(key)
  shelf.bytes -= bytes
  const share = shelf.shares.get(owner)
  if (share === undefined) return
  share.keys.delete(key)
  share.bytes -= bytes
  if (share.keys.size === 0) shelf.shares.delete(owner)
}

/** A write that needs room. */
interface Need {
  readonly owner: string | undefined
  readonly bytes: number
  readonly records: number
  /** The written key. Evictions spare it. */
  readonly key: string
}

/** Makes room for a write by dropping expired records; then refuses the write, or evicts others. */
function makeRoom(shelf: Shelf, need: Need): void {
  if (exceeded(shelf, need, NOBODY) === undefined) return
  dropExpired(shelf)
  for (const victim of findVictims(shelf, need)) {
    drop(shelf, victim)
    shelf.revision += 1
    tell(shelf, { key: victim.key })
  }
}

function dropExpired(shelf: Shelf): void {
  for (const kept of shelf.kept.values()) if (isOver(kept)) drop(shelf, kept)
}

/** Finds all records to evict before any goes, because a refused write must change nothing. */
function findVictims(shelf: Shelf, need: Need): ReadonlySet<Kept> {
  const victims = new Set<Kept>()
  for (let over = exceeded(shelf, need, victims); over !== undefined; over = exceeded(shelf, need, victims)) {
    const payer = over === "owner" ? need.owner : largestOwner(shelf, victims)
    const oldest = shelf.rules.full === "evict" ? oldestOf(shelf, payer, { ...need, victims }) : undefined
    if (oldest === undefined) throw fullError(shelf.rules, over)
    victims.add(oldest)
  }
  return victims
}

const NOBODY: ReadonlySet<Kept> = new Set()

/** Returns which limit a write would exceed without the victims. */
function exceeded(shelf: Shelf, need: Need, victims: ReadonlySet<Kept>): "owner" | "all" | undefined {
  const { limits } = shelf.rules
  const own = { records: need.records, bytes: need.bytes }
  const all = { records: shelf.kept.size + need.records, bytes: shelf.bytes + need.bytes }
  const share = shelf.shares.get(need.owner)
  own.records += share?.keys.size ?? 0
  own.bytes += share?.bytes ?? 0
  for (const { owner, bytes } of victims) {
    for (const sum of owner === need.owner ? [own, all] : [all]) {
      sum.records -= 1
      sum.bytes -= bytes
    }
  }
  if (own.records > limits.ownerRecords || own.bytes > limits.ownerBytes) return "owner"
  return all.records > limits.records || all.bytes > limits.bytes ? "all" : undefined
}

function oldestOf(
  { kept, shares }: Shelf,
  owner: string | undefined,
  { key: spared, victims }: Need & { readonly victims: ReadonlySet<Kept> },
): Kept | undefined {
  for (const key of shares.get(owner)?.keys ?? []) {
    const found = kept.get(key)
    if (found !== undefined && key !== spared && !victims.has(found)) return found
  }
  return undefined
}

/** Returns the owner with the most bytes without the victims; of several, the one with the oldest record. */
function largestOwner({ kept, shares }: Shelf, victims: ReadonlySet<Kept>): string | undefined {
  const sizes = new Map([...shares].map(([owner, { bytes }]) => [owner, bytes]))
  for (const { owner, bytes } of victims) sizes.set(owner, (sizes.get(owner) ?? 0) - bytes)
  let most = 0
  for (const bytes of sizes.values()) most = Math.max(most, bytes)
  for (const one of kept.values()) if (!victims.has(one) && sizes.get(one.owner) === most) return one.owner
  return undefined
}

/** A listener that throws disturbs neither the write nor the others; its error goes uncaught, as rxjs does it. */
function tell({ listeners }: Shelf, change: RecordChange<JsonValue>): void {
  for (const listener of [...listeners]) {
    try {
      listener(change)
    } catch (thrown) {
      queueMicrotask(() => {
        throw thrown
      })
    }
  }
}

function toStored<Value extends JsonValue>(kept: Kept): StoredRecord<Value> {
  // Writes encoded a value of this type.
  return toRecord(kept, JSON.parse(kept.text) as Value)
}

/** @param value - The value; the writer's own, or a copy for others. */
function toRecord<Value extends JsonValue>({ key, owner, revision, life }: Kept, value: Value): StoredRecord<Value> {
  const { createdAt, expiresAt } = life
  if (owner === undefined) return { key, value, revision, createdAt, expiresAt }
  return { key, value, revision, owner, createdAt, expiresAt }
}
