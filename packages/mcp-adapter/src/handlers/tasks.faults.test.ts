import { createDeferred } from "@x/base"
import { createMemoryRecords, type RecordCollection, RecordError, type RecordStore } from "@x/records"
import { describe, expect, it } from "vitest"
import type { TaskRecord } from "../calls/tasks/task.js"
import { createManualClock } from "../runtime/manual-clock.fixture.js"
import { serveExport, taking, textOf, until } from "./tasks.fixture.js"

type Tasks = RecordCollection<TaskRecord>

/** A store whose collection of tasks is changed. */
function withTasks(change: (tasks: Tasks) => Partial<Tasks>): RecordStore {
  const own = createMemoryRecords()
  return {
    ...own,
    collection(options) {
      const made = own.collection(options)
      // Only tasks have this name.
      return options.name === "tasks" ? { ...made, ...change(made as unknown as Tasks) } : made
    },
  } as RecordStore
}

const unavailable = () => Promise.reject(new RecordError("disk full", { code: "unavailable" }))
const diagnosed = (code: string) => expect.objectContaining({ diagnostic: expect.objectContaining({ code }) })

describe("a long action whose store fails", () => {
  it.each([
    ["a full disk", () => new RecordError("disk full", { code: "unavailable" })],
    ["a full store", () => new RecordError("full", { code: "full" })],
    ["a thrown error", () => new Error("no such file")],
  ])("is answered at its end, because of %s", async (_, toCause) => {
    const records = withTasks(() => ({ create: () => Promise.reject(toCause()) }))
    const { request, work, events, ledger } = serveExport({ long: { patienceMs: 0, records } })
    const before = ledger.counts()

    const answered = request("tools/call", { name: "exports" }, taking())
    work.resolve({ rows: 3 })

    expect(await answered).toMatchObject({ structuredContent: { rows: 3 } })
    expect(events).toContainEqual(diagnosed("records_unavailable"))
    expect(ledger.counts()).toMatchObject({ call: before.call, task: 0, timer: before.timer })
  })

  it("is told of as a task once it is stored, however long that takes", async () => {
    const stored = createDeferred<void>()
    const asked = createDeferred<void>()
    const records = withTasks(({ create }) => ({
      async create(...args) {
        asked.resolve()
        await stored.promise
        return create(...args)
      },
    }))
    const { start, get } = serveExport({ long: { patienceMs: 0, records } })
    const told: string[] = []
    const starting = start().then((id) => {
      told.push(id)
      return id
    })
    await asked.promise
    expect(told).toEqual([])

    stored.resolve()

    expect(await get(await starting)).toMatchObject({ status: "working" })
  })

  it("is answered at its end if it ends while its task is stored, and leaves no task", async () => {
    const clock = createManualClock()
    const stored = createDeferred<void>()
    const asked = createDeferred<void>()
    const removed = createDeferred<string>()
    const records = withTasks(({ create, remove }) => ({
      async create(...args) {
        asked.resolve()
        await stored.promise
        return create(...args)
      },
      async remove(key, revision) {
        removed.resolve(key)
        return remove(key, revision)
      },
    }))
    const { request, work, get, contexts } = serveExport({ clock, long: { patienceMs: 5_000, records } })
    const answered = request("tools/call", { name: "exports" }, taking())
    await until(async () => contexts.length === 1)
    clock.advance(5_000)
    await asked.promise
    work.resolve({ rows: 3 })

    expect(await answered).toMatchObject({ structuredContent: { rows: 3 } })
    stored.resolve()
    await expect(get(await removed.promise)).rejects.toMatchObject({ code: -32602 })
  })

  it("is answered at its end if its store does not answer within ten seconds", async () => {
    const clock = createManualClock()
    const asked = createDeferred<void>()
    const records = withTasks(() => ({
      create() {
        asked.resolve()
        return new Promise(() => undefined)
      },
    }))
    const { request, work, events } = serveExport({ clock, long: { patienceMs: 0, records } })
    const answered = request("tools/call", { name: "exports" }, taking())
    await asked.promise
    work.resolve({ rows: 3 })
    clock.advance(10_000)

    expect(await answered).toMatchObject({ structuredContent: { rows: 3 } })
    expect(events).toContainEqual(diagnosed("records_unavailable"))
  })

  it("keeps its end until the store takes it, and tells it meanwhile", async () => {
    let full = true
    const records = withTasks(({ update }) => ({
      update: (key, value, revision) => (full ? unavailable() : update(key, value, revision)),
    }))
    const { start, get, work, events, ledger } = serveExport({ long: { patienceMs: 0, records } })
    const id = await start()
    work.resolve({ rows: 3 })
    await until(async () => (await get(id))["status"] === "completed")
    expect(ledger.counts().task).toBe(1)
    expect(events).toContainEqual(diagnosed("records_unavailable"))

    full = false
    await until(async () => ledger.counts().task === 0)

    expect(await get(id)).toMatchObject({ status: "completed", result: { structuredContent: { rows: 3 } } })
  })

  it("goes on without its progress", async () => {
    const records = withTasks(({ update }) => ({
      update: (key, value, revision) => (value.status === "working" ? unavailable() : update(key, value, revision)),
    }))
    const { start, get, work, contexts, over } = serveExport({ long: { patienceMs: 0, records } })
    const id = await start()
    contexts[0]?.progress({ progress: 1, total: 3 })
    expect(await get(id)).toMatchObject({ status: "working", statusMessage: "1/3" })
    work.resolve({ rows: 3 })
    await over(id)

    expect(await get(id)).toMatchObject({ status: "completed" })
  })

  it("is an internal error to who asks for a task that cannot be read", async () => {
    const records = withTasks(() => ({ read: unavailable }))
    const { get } = serveExport({ long: { patienceMs: 0, records } })

    await expect(get("0".repeat(64))).rejects.not.toMatchObject({ code: -32602 })
  })
})

describe("many tasks", () => {
  it("end each for itself, a thousand at once, and leave nothing open", async () => {
    const { start, get, work, ledger, request, over } = serveExport({
      long: { patienceMs: 0, records: createMemoryRecords() },
    })
    await request("tools/list")
    const before = ledger.counts()
    // Of one client, 36 calls may wait at once.
    const clients = Array.from({ length: 1_000 }, (_, index) => taking({ client: `c${index}` }))
    const ids = await Promise.all(clients.map((client) => start(client)))
    expect(new Set(ids).size).toBe(1_000)
    expect(ledger.counts()).toMatchObject({ task: 1_000 })

    work.resolve({ rows: 3 })
    for (const id of ids) await over(id)
    await until(async () => ledger.counts().task === 0)

    for (const id of ids) expect(await get(id)).toMatchObject({ taskId: id, status: "completed" })
    expect(ledger.counts()).toEqual(before)
  })

  it("are refused to a caller that has as many as it may, and to no other", async () => {
    const { start, tool } = serveExport({ long: { patienceMs: 0, wordsAfterMs: 0, limits: { callerTasks: 2 } } })
    const ann = taking({ principal: { id: "ann" } })
    await start(ann)
    await start(ann)

    const bob = await start(taking({ principal: { id: "bob" } }))
    const answered = tool("exports", {}, ann)

    expect(bob).toMatch(/^[0-9a-f]{64}$/)
    expect(await Promise.race([answered.then(() => "answered"), Promise.resolve("waits")])).toBe("waits")
  })

  it("have twenty pollers and twenty that wait, of which each gets the result", async () => {
    const { start, get, tool, work, ledger, request } = serveExport()
    await request("tools/list")
    const before = ledger.counts()
    const id = await start()
    const waiting = Array.from({ length: 20 }, () => tool("get_task", { id }))
    const polling = Array.from({ length: 20 }, async () => {
      for (;;) {
        const now = await get(id)
        if (now["status"] !== "working") return now
        await new Promise((resolve) => setImmediate(resolve))
      }
    })
    work.resolve({ rows: 3 })

    for (const polled of await Promise.all(polling)) expect(polled).toMatchObject({ result: {}, status: "completed" })
    for (const got of await Promise.all(waiting)) expect(textOf(got)).toContain('{"rows":3}')
    await until(async () => ledger.counts().task === 0)
    expect(ledger.counts()).toEqual(before)
  })

  it("are closed to guesses", async () => {
    const { start, get, contexts } = serveExport()
    const id = await start(taking({ principal: { id: "ann" } }))
    const eve = taking({ principal: { id: "eve" } })
    const guesses = [id, id.toUpperCase(), `${id} `, "", "__proto__", ...Array.from({ length: 1_000 }, guess)]

    for (const each of guesses) await expect(get(each, eve)).rejects.toMatchObject({ code: -32602 })
    expect(contexts[0]?.signal.aborted).toBe(false)
  })
})

function guess(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(24))
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("")
}
