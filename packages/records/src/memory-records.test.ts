import { describe, expect, it, vi } from "vitest"
import { recordLaws } from "./laws.js"
import { createMemoryRecords } from "./memory-records.js"

describe("createMemoryRecords", () => {
  it.each(recordLaws.map(({ name, check }) => [name, check] as const))("%s", async (_, check) => {
    const store = createMemoryRecords()
    await expect(check({ store, other: store })).resolves.toBeUndefined()
    await store.close()
  })

  it("brings no record back if the wall clock is set forward and back", async () => {
    const records = createMemoryRecords().collection<number>({ name: "marks", ttlMs: 1_000, full: "refuse" })
    vi.useFakeTimers()
    try {
      await records.create("key", 1)
      vi.setSystemTime(Date.now() + 5_000)
      expect(await records.read("key")).toBeUndefined()
      vi.setSystemTime(Date.now() - 5_000)

      expect(await records.read("key")).toBeUndefined()
    } finally {
      vi.useRealTimers()
    }
  })

  it("keeps a record for its time if the wall clock is set back", async () => {
    const records = createMemoryRecords().collection<number>({ name: "marks", ttlMs: 1_000, full: "refuse" })
    vi.useFakeTimers()
    try {
      await records.create("key", 1)
      vi.setSystemTime(Date.now() - 60_000)
      vi.advanceTimersByTime(1_001)

      expect(await records.read("key")).toBeUndefined()
    } finally {
      vi.useRealTimers()
    }
  })

  it("makes room by what has expired before it refuses", async () => {
    const limits = { ownerRecords: 1 }
    const records = createMemoryRecords().collection<number>({ name: "marks", ttlMs: 1_000, full: "refuse", limits })
    vi.useFakeTimers()
    try {
      await records.create("old", 1)
      vi.advanceTimersByTime(1_001)

      expect(await records.create("new", 1)).toMatchObject({ key: "new" })
    } finally {
      vi.useRealTimers()
    }
  })
})
