import { createMemoryRecords, type RecordStore } from "@x/records"
import { describe, expect, it } from "vitest"
import { createLedger, type Host, hostClock } from "../../runtime/host.js"
import { defaultTaskOptions } from "./task-options.js"
import { createTaskStore, type NewTask } from "./task-store.js"

/** A clock whose timers never fire, as in a process that has died. */
const stopped = { ...hostClock, after: () => () => undefined }

function open(records: RecordStore, clock = hostClock) {
  const host: Host = { clock, ledger: createLedger(), report: () => undefined }
  return createTaskStore({ ...defaultTaskOptions, leaseMs: 100, records }, host)
}

const task: NewTask = { tool: "export", principal: "", scopes: [], status: "working", message: "3/10 rows" }
const room = { owner: "ann", ttlMs: 60_000 }

describe("createTaskStore", () => {
  it("fails the running tasks of a process that has died, and says how far they had come", async () => {
    const records = createMemoryRecords()
    const dead = open(records, stopped)
    dead.hold()
    const { stored } = await dead.create(task, room)
    const alive = open(records)
    expect((await alive.read(stored.key))?.value.status).toBe("working")

    await expect.poll(async () => (await alive.read(stored.key))?.value.status).toBe("failed")

    expect((await alive.read(stored.key))?.value.message).toContain("3/10 rows")
  })

  it("keeps the running tasks of a living process for others, and all that have ended", async () => {
    const records = createMemoryRecords()
    const alive = open(records)
    const letGo = alive.hold()
    const running = await alive.create(task, room)
    const dead = open(records, stopped)
    const over = await dead.create(task, room)
    await over.write({ status: "completed", end: { result: 1 } })
    const lost = await dead.create(task, room)
    const other = open(records)

    await expect.poll(async () => (await other.read(lost.stored.key))?.value.status).toBe("failed")

    expect((await other.read(running.stored.key))?.value.status).toBe("working")
    expect((await other.read(over.stored.key))?.value.end).toEqual({ result: 1 })
    letGo()
  })

  it("lets nothing be written after the end", async () => {
    const records = createMemoryRecords()
    const dead = open(records, stopped)
    const kept = await dead.create(task, room)
    const alive = open(records)
    await expect.poll(async () => (await alive.read(kept.stored.key))?.value.status).toBe("failed")

    expect(await kept.write({ status: "completed", end: { result: 1 } })).toBe(false)
    expect((await alive.read(kept.stored.key))?.value.status).toBe("failed")
  })

  it("passes on answers to the process that runs the task, while their question is open", async () => {
    const records = createMemoryRecords()
    const runner = open(records)
    const requests = { q1: { method: "elicitation/create" }, q2: { method: "elicitation/create" } }
    const kept = await runner.create({ ...task, status: "input_required", requests }, room)
    const told: unknown[] = []
    const unwatch = runner.watch(kept.stored.key, ({ value }) => told.push(value.given))

    await open(records).answer(kept.stored.key, { q1: { action: "accept" }, other: { action: "accept" } })
    await kept.write({ status: "input_required", requests: { q2: requests.q2 } })
    await open(records).answer(kept.stored.key, { q1: { action: "accept" } })
    await open(records).answer(kept.stored.key, { q2: { action: "decline" } })
    await kept.write({ status: "working" })
    unwatch()

    expect(told).toEqual([{ q1: { action: "accept" } }, undefined, { q2: { action: "decline" } }, undefined])
  })

  it("passes on the wish to stop to the process that runs the task, whatever that writes meanwhile", async () => {
    const records = createMemoryRecords()
    const runner = open(records)
    const kept = await runner.create(task, room)
    const told: unknown[] = []
    const unwatch = runner.watch(kept.stored.key, ({ value }) => told.push(value.stop))

    await open(records).stop(kept.stored.key)
    await kept.write({ status: "working", message: "4/10 rows" })
    unwatch()

    expect(told).toEqual([true, true])
  })
})
