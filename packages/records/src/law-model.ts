import { codeOf, same } from "./law-checks.js"
import type { RecordLimits } from "./record-store.js"
import type { StorePair } from "./store-pair.js"

/** Plays random operations on a store and on a list that is searched each time. */
export async function playRandomly({ store, other }: StorePair, full: "refuse" | "evict"): Promise<void> {
  const limits = { recordBytes: 9, ownerRecords: 3, ownerBytes: 20, records: 7, bytes: 40 }
  const options = { name: `random-${full}`, ttlMs: 3_600_000, full, limits } as const
  const through = [store.collection<string>(options), other.collection<string>(options)] as const
  const random = createRandom(7)
  let model: readonly Row[] = []
  for (let step = 0; step < 150; step += 1) {
    const one = through[random(2) === 0 ? 0 : 1]
    const key = `k${random(8)}`
    const owner = ["ann", "bob", "eve"][random(3)] ?? ""
    const value = "x".repeat(random(7))
    const known = model.find((row) => row.key === key)
    const revision = Number((await one.read(key))?.revision)
    const kind = random(3)
    const done = await outcomeOf(
      kind === 0 ? one.create(key, value, { owner }) : kind === 1 ? one.update(key, value, revision) : one.remove(key),
    )
    const expected = applyTo(model, { kind, row: { key, value, owner: known?.owner ?? owner }, full, limits })
    same(done, expected.done, `step ${step}, ${full}`)
    model = expected.rows
    const found = (await one.list()).map((each) => ({ key: each.key, value: each.value, owner: each.owner ?? "" }))
    same(found, model, `the records after step ${step}, ${full}`)
  }
}

/** A record of the plain list. */
interface Row {
  readonly key: string
  readonly value: string
  readonly owner: string
}

type Limits = Pick<RecordLimits, "ownerRecords" | "ownerBytes" | "records" | "bytes">

/** One operation: 0 creates, 1 updates, 2 removes. */
interface Move {
  readonly kind: number
  readonly row: Row
  readonly full: "refuse" | "evict"
  readonly limits: Limits
}

/** The list after an operation, with the result of that: success, or a failure's code. */
interface Played {
  readonly rows: readonly Row[]
  readonly done: unknown
}

function applyTo(rows: readonly Row[], move: Move): Played {
  const { kind, row } = move
  const known = rows.some(({ key }) => key === row.key)
  if (kind === 2) return { rows: rows.filter(({ key }) => key !== row.key), done: known }
  if (known === (kind === 0)) return { rows, done: false }
  const written = kind === 0 ? [...rows, row] : rows.map((each) => (each.key === row.key ? row : each))
  const left = makeRoom(written, rows, move)
  return left === undefined ? { rows, done: "full" } : { rows: left, done: true }
}

/** Returns what is left once all limits are kept, or `undefined` if the write must be refused. */
function makeRoom(written: readonly Row[], before: readonly Row[], move: Move): readonly Row[] | undefined {
  const { row, full, limits } = move
  const own = written.filter(({ owner }) => owner === row.owner)
  const ofOwner = own.length > limits.ownerRecords || bytesOf(own) > limits.ownerBytes
  if (!ofOwner && written.length <= limits.records && bytesOf(written) <= limits.bytes) return written
  const payer = ofOwner ? row.owner : largestOwner(before)
  const oldest = written.find(({ owner, key }) => owner === payer && key !== row.key)
  if (full === "refuse" || oldest === undefined) return undefined
  const without = (list: readonly Row[]): readonly Row[] => list.filter(({ key }) => key !== oldest.key)
  return makeRoom(without(written), without(before), move)
}

/** The bytes of the values as JSON: each has two quotes. */
function bytesOf(rows: readonly Row[]): number {
  return rows.reduce((sum, { value }) => sum + value.length + 2, 0)
}

/** Returns the owner with the most bytes; of several, the one with the oldest record. */
function largestOwner(rows: readonly Row[]): string | undefined {
  const sizes = new Map<string, number>()
  for (const { owner, value } of rows) sizes.set(owner, (sizes.get(owner) ?? 0) + value.length + 2)
  return [...sizes].reduce((most, each) => (each[1] > most[1] ? each : most), ["", -1])[0]
}

async function outcomeOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    (done) => done !== undefined && done !== false,
    (thrown: unknown) => codeOf(thrown),
  )
}

/** Creates a reproducible source of whole numbers below a limit (mulberry32). */
function createRandom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}
