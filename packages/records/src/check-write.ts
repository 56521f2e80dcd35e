import { findOptionFault, isRecord, type OptionRule, showShort, toWellFormed, withDefaults } from "@x/base"
import { type CollectionOptions, type CreateOptions, RecordError, type RecordLimits } from "./record-store.js"

/** The options of a collection with their defaults. */
export interface CollectionRules extends Required<Omit<CollectionOptions, "limits">> {
  /** The limits. */
  readonly limits: RecordLimits
}

const DEFAULT_LIMITS: RecordLimits = {
  recordBytes: 65_536,
  ownerRecords: 1_000,
  ownerBytes: 4_194_304,
  records: 100_000,
  bytes: 268_435_456,
}

const COUNT = { from: 1, whole: true }

const OPTIONS: Record<keyof CollectionOptions, OptionRule> = {
  name: "text",
  ttlMs: { from: 1 },
  renew: "flag",
  full: ["refuse", "evict"],
  limits: {
    options: { recordBytes: COUNT, ownerRecords: COUNT, ownerBytes: COUNT, records: COUNT, bytes: COUNT },
  },
}

/**
 * Checks a collection's options and adds their defaults.
 *
 * @throws `RecordError` `invalid`.
 * @example
 * ```ts
 * import { readCollectionOptions } from "@x/records/binding"
 *
 * const { renew, limits } = readCollectionOptions({ name: "claims", ttlMs: 60_000, full: "refuse" })
 * console.log(renew, limits.ownerRecords) // false 1000
 * ```
 */
export function readCollectionOptions(options: CollectionOptions): CollectionRules {
  const fault = findOptionFault(options, OPTIONS) ?? findMissing(options)
  if (fault !== undefined) throw new RecordError(fault, { code: "invalid" })
  const { name, ttlMs, renew = false, full, limits } = options
  return { name, ttlMs, renew, full, limits: withDefaults(DEFAULT_LIMITS, limits) }
}

function findMissing({ name, ttlMs, full }: CollectionOptions): string | undefined {
  if (!/^[a-z][a-z0-9-]{0,39}$/.test(name)) {
    return `option "name" is ${showShort(name)}: expected a lower-case letter, then at most 39 of a-z, 0-9 and "-"`
  }
  if (ttlMs === undefined) return 'option "ttlMs" is missing: expected how long a record lives, in milliseconds'
  return full === undefined ? 'option "full" is missing: expected "refuse" or "evict"' : undefined
}

/** A write, checked: its value as JSON text, and the bytes of that. */
export interface CheckedValue {
  /** The value as JSON. */
  readonly text: string
  /** The size of the text in UTF-8, in bytes. */
  readonly bytes: number
}

/** A write that is asked for; its parts may be of any type. */
export interface CollectionWrite {
  /** The key. */
  readonly key: string
  /** The value. */
  readonly value: unknown
  /** The options of a creation. */
  readonly options?: CreateOptions
}

/**
 * Checks the key, owner and time to live of a write, and encodes its value.
 *
 * @throws `RecordError` `invalid` or `too_large`.
 * @example
 * ```ts
 * import { checkWrite, readCollectionOptions } from "@x/records/binding"
 *
 * const rules = readCollectionOptions({ name: "claims", ttlMs: 60_000, full: "refuse" })
 * console.log(checkWrite(rules, { key: "order-7", value: { by: "ann" } })) // { text: '{"by":"ann"}', bytes: 12 }
 * ```
 */
export function checkWrite({ name, ttlMs, limits }: CollectionRules, write: CollectionWrite): CheckedValue {
  const { key, value, options = {} } = write
  checkText(name, "key", key)
  if (options.owner !== undefined) checkText(name, "owner", options.owner)
  const asked = options.ttlMs
  if (asked !== undefined && !(asked > 0 && asked <= ttlMs)) {
    throw invalid(name, `the time to live is ${showShort(asked)}: expected more than 0 and at most ${ttlMs} ms`)
  }
  const text = encode(name, value)
  const bytes = UTF8.encode(text).length
  const most = Math.min(limits.recordBytes, limits.ownerBytes, limits.bytes)
  if (bytes > most) {
    const message = `the value of "${key}" in "${name}" has ${bytes} bytes: expected at most ${most}`
    throw new RecordError(message, { code: "too_large" })
  }
  return { text, bytes }
}

/**
 * Creates the error of a write that a full collection refuses.
 *
 * @example
 * ```ts
 * import { fullError, readCollectionOptions } from "@x/records/binding"
 *
 * const limits = { ownerRecords: 1, ownerBytes: 9 }
 * const rules = readCollectionOptions({ name: "claims", ttlMs: 60_000, full: "refuse", limits })
 * console.log(fullError(rules, "owner").code) // full
 * ```
 */
export function fullError({ name, limits }: CollectionRules, of: "owner" | "all"): RecordError {
  const most =
    of === "owner"
      ? `one owner may have ${limits.ownerRecords} records and ${limits.ownerBytes} bytes`
      : `all owners may have ${limits.records} records and ${limits.bytes} bytes`
  return new RecordError(`the collection "${name}" is full: ${most}, until some expire or are removed`, {
    code: "full",
  })
}

/**
 * Creates the error of an operation after the store was closed.
 *
 * @example
 * ```ts
 * import { closedError } from "@x/records/binding"
 *
 * console.log(closedError().code) // closed
 * ```
 */
export function closedError(): RecordError {
  return new RecordError("the record store is closed: close it after everything that uses it", { code: "closed" })
}

function checkText(name: string, what: string, given: unknown): void {
  const good = typeof given === "string" && given.length > 0 && given.length <= LONGEST && toWellFormed(given) === given
  if (!good) throw invalid(name, `the ${what} is ${showShort(given)}: expected 1 to ${LONGEST} characters`)
}

const UTF8 = new TextEncoder()

/** Limits keys and owners, in characters. */
const LONGEST = 512

/** Values that JSON would change or drop are refused: they would come back as something else. */
function encode(name: string, value: unknown): string {
  const fault = findJsonFault(value, "", 0)
  if (fault !== undefined) throw invalid(name, `the value${fault}: expected a JSON value`)
  return JSON.stringify(value)
}

function findJsonFault(value: unknown, at: string, depth: number): string | undefined {
  if (depth > DEEPEST) return ` is nested over ${DEEPEST} levels deep`
  if (value === null || typeof value === "string" || typeof value === "boolean") return undefined
  if (typeof value === "number") return Number.isFinite(value) ? undefined : `${at} is ${value}`
  if (Array.isArray(value)) return findIn(value.entries(), at, depth)
  if (isRecord(value) && isPlain(value)) return findIn(Object.entries(value), at, depth)
  return `${at} is ${showShort(value)}`
}

function findIn(entries: Iterable<readonly [string | number, unknown]>, at: string, depth: number): string | undefined {
  for (const [key, item] of entries) {
    const fault = findJsonFault(item, `${at}/${key}`, depth + 1)
    if (fault !== undefined) return fault
  }
  return undefined
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return (prototype === null || prototype === Object.prototype) && !("toJSON" in value)
}

/** As deep as an engine writes JSON without a long stack. */
const DEEPEST = 200

function invalid(name: string, fault: string): RecordError {
  return new RecordError(`in the collection "${name}", ${fault}`, { code: "invalid" })
}
