import { CodedError, type JsonValue } from "@x/base"

/** A store of named collections of records, in this process or shared by several. */
export interface RecordStore {
  /**
   * Opens a collection. Two with one name are the same collection, in every process that shares the store.
   *
   * @throws {@link RecordError} `invalid` for impossible options, and for options that differ from the first opening.
   */
  collection<Value extends JsonValue>(options: CollectionOptions): RecordCollection<Value>
  /** Stops all watches and releases the store. Later operations fail with `closed`. */
  close(): Promise<void>
}

/** Options of a collection. */
export interface CollectionOptions {
  /** The name: a lower-case letter, then up to 39 lower-case letters, digits and hyphens. */
  readonly name: string
  /** How long a record lives after it was created, in milliseconds. */
  readonly ttlMs: number
  /** Whether each update starts the life of the record anew. Default `false`. */
  readonly renew?: boolean
  /**
   * How a write that exceeds a limit ends: `refuse` fails it with `full`; `evict` removes the oldest records first, of the same
   * owner, then of the owner with the most bytes.
   */
  readonly full: "refuse" | "evict"
  /** The limits. Each has a default. */
  readonly limits?: Partial<RecordLimits>
}

/** How much a collection holds. Bytes count the values, encoded as JSON in UTF-8. */
export interface RecordLimits {
  /** The most bytes of one record. Default 65,536. */
  readonly recordBytes: number
  /** The most records of one owner. Default 1,000. */
  readonly ownerRecords: number
  /** The most bytes of one owner. Default 4,194,304. */
  readonly ownerBytes: number
  /** The most records in all. Default 100,000. */
  readonly records: number
  /** The most bytes in all. Default 268,435,456. */
  readonly bytes: number
}

/** Records by key, each with a JSON value. Every operation takes effect completely or not at all. */
export interface RecordCollection<Value extends JsonValue> {
  /**
   * Creates a record. Returns it once it is stored, or `undefined` if the key has one. Of several that create the same key at
   * the same time, in any process, one succeeds.
   *
   * @throws {@link RecordError} `too_large` or `full`. The store stays unchanged.
   */
  create(key: string, value: Value, options?: CreateOptions): Promise<StoredRecord<Value> | undefined>
  /**
   * Replaces the value of a record whose revision is still the given one. Returns the record with its new revision, or
   * `undefined` if another update or removal came first. The owner stays.
   *
   * @throws {@link RecordError} `too_large` or `full`. The record stays unchanged.
   */
  update(key: string, value: Value, revision: number): Promise<StoredRecord<Value> | undefined>
  /** Returns the record of a key, or `undefined` if it has none or the record has expired. */
  read(key: string): Promise<StoredRecord<Value> | undefined>
  /** Removes a record. With a revision, only that one. Returns whether a record was removed. */
  remove(key: string, revision?: number): Promise<boolean>
  /** Returns all records, or one owner's, sorted by creation. */
  list(options?: ListOptions): Promise<readonly StoredRecord<Value>[]>
  /**
   * Tells of changes from now on, whoever makes them: the key, and the record unless it was removed. Changes of one key in
   * short succession may be told as one, the last. Expiry is not told: readers compare `expiresAt`.
   *
   * @returns A function that stops the watch.
   */
  watch(tell: (change: RecordChange<Value>) => void): () => void
}

/** Options of a creation. */
export interface CreateOptions {
  /** The principal whose limits the record counts against. Default: none; records without one share one set of limits. */
  readonly owner?: string
  /** How long this record lives, in milliseconds, at most the `ttlMs` of its collection. Default: that one. */
  readonly ttlMs?: number
}

/** Options of a list. */
export interface ListOptions {
  /** Only records of this owner. Default: all. */
  readonly owner?: string
}

/** A record. */
export interface StoredRecord<Value extends JsonValue> {
  /** Its key within the collection. */
  readonly key: string
  /** Its value. Changing this copy leaves the store unchanged. */
  readonly value: Value
  /** A number that grows with each write of the collection, so that a record created again never has a former revision. */
  readonly revision: number
  /** The owner, if it has one. */
  readonly owner?: string
  /** When it was created, in milliseconds since 1970. */
  readonly createdAt: number
  /** When it expires, in milliseconds since 1970. */
  readonly expiresAt: number
}

/** A change of one key. */
export interface RecordChange<Value extends JsonValue> {
  /** The key. */
  readonly key: string
  /** The current record; absent after a removal. */
  readonly record?: StoredRecord<Value>
}

/**
 * The reason of a {@link RecordError}.
 *
 * - `invalid`: an impossible option, key, owner or value.
 * - `too_large`: a value over `recordBytes`, or over what one owner may have in all.
 * - `full`: the owner's share or the collection is full, and its rule is `refuse`.
 * - `closed`: the store is closed.
 * - `unavailable`: the store cannot be reached or written; whether the write took effect may be unknown.
 */
export type RecordErrorCode = "invalid" | "too_large" | "full" | "closed" | "unavailable"

/** A failure of a record store. */
export class RecordError extends CodedError<RecordErrorCode> {
  /** Always `RecordError`. */
  override readonly name = "RecordError"
}
