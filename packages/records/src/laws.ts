import { compareText, type JsonValue, sameValue } from "@x/base"
import { ensure, fails, same, until } from "./law-checks.js"
import { playRandomly } from "./law-model.js"
import type { CollectionOptions, RecordChange, RecordCollection } from "./record-store.js"
import type { StorePair } from "./store-pair.js"

export type { StorePair } from "./store-pair.js"

/** A law that every record store keeps. */
export interface RecordLaw {
  /** The law, as a sentence about the store. */
  readonly name: string
  /** Tries the law on an empty store. Rejects with an error that names the violation. */
  check(pair: StorePair): Promise<void>
}

/**
 * The laws of a record store, for the tests of whoever writes one. They need no test runner.
 *
 * @example
 * ```ts
 * import { createMemoryRecords } from "@x/records"
 * import { recordLaws } from "@x/records/laws"
 *
 * for (const { name, check } of recordLaws.slice(0, 1)) {
 *   const store = createMemoryRecords()
 *   await check({ store, other: store })
 *   console.log(`a store in memory ${name}`) // a store in memory creates a key once, whoever tries
 *   await store.close()
 * }
 * ```
 */
export const recordLaws: readonly RecordLaw[] = [
  law("creates a key once, whoever tries", async (pair) => {
    const [one, two] = open(pair)
    const tries = Array.from({ length: 10 }, (_, index) => (index % 2 === 0 ? one : two).create("key", index))

    const created = (await Promise.all(tries)).filter((each) => each !== undefined)

    same(created.length, 1, "creations that succeeded")
    same(await two.read("key"), created[0], "the record")
  }),
  law("updates only the revision that it was asked for", async (pair) => {
    const [one, two] = open(pair)
    await one.create("count", 0)
    const add = async (through: RecordCollection<JsonValue>): Promise<void> => {
      for (;;) {
        const found = await through.read("count")
        if (found !== undefined && (await through.update("count", Number(found.value) + 1, found.revision))) return
      }
    }

    await Promise.all(Array.from({ length: 10 }, (_, index) => add(index % 2 === 0 ? one : two)))

    same((await one.read("count"))?.value, 10, "the count of ten writers")
    same(await one.update("none", 1, 1), undefined, "an update of no record")
  }),
  law("never gives a former revision again", async (pair) => {
    const [one, two] = open(pair)
    const first = await one.create("key", 1)
    await two.remove("key")
    const second = await one.create("key", 2)

    ensure(Number(second?.revision) > Number(first?.revision), "expected a higher revision after a removal")
    same(await one.update("key", 3, Number(first?.revision)), undefined, "an update of the former revision")
  }),
  law("gives back any JSON value as a copy", async (pair) => {
    const [one, two] = open(pair)
    const values: readonly JsonValue[] = [
      null,
      true,
      0,
      -1.5,
      "",
      "ü\u0000\u2028",
      [],
      [[1]],
      {},
      { a: { "": [null] } },
    ]
    for (const [index, value] of values.entries()) await one.create(`k${index}`, value)

    same(
      (await two.list()).map(({ value }) => value),
      values,
      "the values",
    )
    const given = { list: [1] }
    await one.create("own", given)
    given.list.push(2)
    same((await one.read("own"))?.value, { list: [1] }, "a value that was changed outside")
  }),
  law("keeps keys and owners apart, whatever their characters", async (pair) => {
    const [one, two] = open(pair)
    const keys = [
      "a",
      "A",
      "a ",
      "a.b",
      "a/b",
      "a*",
      "a>",
      "%61",
      "ä",
      "a\u0308",
      "=",
      "'",
      '"',
      "$a",
      "constructor",
      "__proto__",
    ]
    for (const key of keys) await one.create(key, key, { owner: key })

    same(
      (await two.list()).map(({ key }) => key),
      keys,
      "the keys",
    )
    for (const key of keys)
      same(
        (await two.list({ owner: key })).map(({ value }) => value),
        [key],
        `of ${key}`,
      )
    same((await two.read("toString"))?.value, undefined, "a key that was never created")
  }),
  law("removes a record, or only its given revision", async (pair) => {
    const [one, two] = open(pair)
    const made = await one.create("key", 1)
    const revision = Number(made?.revision)

    same(await two.remove("key", revision + 1), false, "a removal of another revision")
    same(await two.remove("key", revision), true, "a removal of its revision")
    same(await one.remove("key"), false, "a second removal")
    same(await one.read("key"), undefined, "the removed record")
  }),
  law("lists in the order of creation, all or one owner's", async (pair) => {
    const [one, two] = open(pair)
    for (const [key, owner] of [
      ["c", "ann"],
      ["a", "bob"],
      ["b", "ann"],
      ["d", undefined],
    ] as const) {
      await one.create(key, 1, owner === undefined ? {} : { owner })
    }
    await two.update("c", 2, Number((await two.read("c"))?.revision))

    same(
      (await two.list()).map(({ key }) => key),
      ["c", "a", "b", "d"],
      "all keys",
    )
    same(
      (await two.list({ owner: "ann" })).map(({ key, owner }) => [key, owner]),
      [
        ["c", "ann"],
        ["b", "ann"],
      ],
      "ann's",
    )
    same(await two.list({ owner: "eve" }), [], "eve's")
  }),
  law("forgets a record after its time, and takes its key again", async (pair) => {
    const [one, two] = open(pair, { ttlMs: 60_000 })
    const made = await one.create("key", 1, { ttlMs: 40 })
    await one.create("other", 1)
    await until(async () => (await two.read("key")) === undefined)

    ensure(Date.now() >= Number(made?.expiresAt), "expected a record to be there until it expires")
    same(
      (await two.list()).map(({ key }) => key),
      ["other"],
      "the keys",
    )
    same((await two.create("key", 2))?.value, 2, "the key's new value")
  }),
  law("starts a life anew with each update only if it renews", async ({ store, other }) => {
    for (const renew of [true, false]) {
      const options = { name: renew ? "renewed" : "kept", ttlMs: 60_000, renew, full: "refuse" } as const
      const made = await store.collection<number>(options).create("key", 1)
      await until(() => Date.now() > Number(made?.createdAt))
      const written = await other.collection<number>(options).update("key", 2, Number(made?.revision))

      same(written?.createdAt, made?.createdAt, "the time of its creation")
      same(Number(written?.expiresAt) > Number(made?.expiresAt), renew, "whether it expires later")
    }
  }),
  law("refuses what exceeds a limit, and keeps everything else", async (pair) => {
    const limits = { recordBytes: 20, ownerRecords: 2, ownerBytes: 25, records: 3, bytes: 60 }
    const [one, two] = open(pair, { limits })
    await fails("too_large", one.create("big", "x".repeat(19), { owner: "ann" }))
    await one.create("a1", "x".repeat(10), { owner: "ann" })
    await fails("full", two.create("a2", "x".repeat(18), { owner: "ann" }))
    const second = await two.create("a2", "x", { owner: "ann" })
    await fails("full", one.create("a3", 1, { owner: "ann" }))
    await fails("full", one.update("a2", "x".repeat(18), Number(second?.revision)))
    await one.create("b1", 1, { owner: "bob" })
    await fails("full", two.create("c1", 1, { owner: "eve" }))

    same(
      (await two.list()).map(({ value }) => value),
      ["x".repeat(10), "x", 1],
      "the values",
    )
    await one.remove("a1")
    same((await two.create("c1", 1, { owner: "eve" }))?.key, "c1", "the record for which there is room again")
  }),
  law("evicts the oldest records, of the same owner before others", async (pair) => {
    const limits = { ownerRecords: 2, ownerBytes: 25, records: 4, bytes: 40 }
    const [one, two] = open(pair, { full: "evict", limits })
    for (const key of ["b1", "b2"]) await one.create(key, "x", { owner: "bob" })
    for (const key of ["a1", "a2", "a3"]) await two.create(key, "x".repeat(8), { owner: "ann" })
    same(
      (await one.list()).map(({ key }) => key),
      ["b1", "b2", "a2", "a3"],
      "after one too many of ann's",
    )
    await one.create("c1", "x", { owner: "eve" })
    same(
      (await two.list()).map(({ key }) => key),
      ["b1", "b2", "a3", "c1"],
      "after one too many in all",
    )
    await two.create("a4", "x".repeat(18), { owner: "ann" })

    same(
      (await one.list()).map(({ key }) => key),
      ["b1", "b2", "c1", "a4"],
      "after too many bytes of ann's",
    )
  }),
  law("evicts nothing for a write that it refuses", async (pair) => {
    const limits = { recordBytes: 50, ownerBytes: 50, bytes: 60 }
    const [one, two] = open(pair, { full: "evict", limits })
    const made = await one.create("a1", "x".repeat(26), { owner: "ann" })
    for (const key of ["b1", "b2"]) await two.create(key, "x".repeat(14), { owner: "bob" })
    // Without one record of bob's, ann has the most bytes, and nothing but this record.
    await fails("full", one.update("a1", "x".repeat(48), Number(made?.revision)))

    same(
      (await two.list()).map(({ key }) => key),
      ["a1", "b1", "b2"],
      "the keys",
    )
  }),
  law("refuses keys, owners, values and options that it cannot keep", async (pair) => {
    const [one] = open(pair)
    const loop: unknown[] = []
    loop.push(loop)
    // Untyped code may pass these.
    const odd = [undefined, Number.NaN, 1n, new Date(0), { a: undefined }, [() => 1], loop] as unknown as JsonValue[]
    for (const value of odd) await fails("invalid", one.create("key", value))
    for (const key of ["", "x".repeat(513)]) await fails("invalid", one.create(key, 1))
    await fails("invalid", one.create("key", 1, { owner: "" }))
    for (const ttlMs of [0, -1, Number.NaN, 3_600_001]) await fails("invalid", one.create("key", 1, { ttlMs }))
    for (const name of ["", "Upper", "-", "a b"]) {
      await fails("invalid", async () => pair.store.collection({ name, ttlMs: 1, full: "refuse" }))
    }
    await fails("invalid", async () => open(pair, { ttlMs: 1 }))

    same(await one.list(), [], "the records")
  }),
  law("tells watchers of every change that stays, whoever makes it", async (pair) => {
    const [one, two] = open(pair)
    await one.create("before", 1)
    const seen = new Map<string, JsonValue | undefined>()
    const stop = one.watch(({ key, record }: RecordChange<JsonValue>) => void seen.set(key, record?.value))
    await two.create("made", 1)
    const made = await one.create("written", 1)
    await two.update("written", 2, Number(made?.revision))
    await two.remove("before")
    const now = (): unknown => [...seen].sort(([a], [b]) => compareText(a, b))
    const expected = [["before", undefined], ["made", 1], ["written", 2]] // biome-ignore format: one row a key
    await until(() => sameValue(now(), expected)).catch(() => same(now(), expected, "what a watcher was told"))

    stop()
    stop()
    const heard = new Promise<void>((resolve) => void one.watch(({ key }) => key === "late" && resolve()))
    await two.create("late", 1)
    await heard
    same(seen.has("late"), false, "whether a stopped watch was told")
  }),
  law("separates collections by name", async ({ store, other }) => {
    const options = { ttlMs: 60_000, full: "refuse" } as const
    await store.collection({ name: "one", ...options }).create("key", 1)

    same(await other.collection({ name: "two", ...options }).read("key"), undefined, "another collection's record")
  }),
  law("agrees with a plain list after any operations", async (pair) => {
    for (const full of ["refuse", "evict"] as const) await playRandomly(pair, full)
  }),
  law("fails after its close, and can be closed twice", async (pair) => {
    const [one] = open(pair)
    await one.create("key", 1)
    await pair.store.close()
    await pair.store.close()

    await fails("closed", one.read("key"))
    await fails("closed", one.create("key", 1))
    await fails("closed", async () => open(pair))
  }),
]

function law(name: string, check: RecordLaw["check"]): RecordLaw {
  return { name, check }
}

/** Opens one collection through both stores. */
function open({ store, other }: StorePair, options: Partial<CollectionOptions> = {}) {
  const all: CollectionOptions = { name: "law", ttlMs: 3_600_000, full: "refuse", ...options }
  return [store.collection<JsonValue>(all), other.collection<JsonValue>(all)] as const
}
