import { action, createAgenticService, fail } from "@x/agentic-service"
import { createMemoryRecords, type RecordStore } from "@x/records"
import { describe, expect, it } from "vitest"
import { TASKS } from "../calls/client-requests.js"
import { contextWith } from "../calls/serve.fixture.js"
import { answer } from "./answer.fixture.js"
import { leg, serveExport, taking, textOf, until } from "./tasks.fixture.js"

describe("a client that takes tasks", () => {
  it("gets a task, and its result from tasks/get", async () => {
    const { start, get, work, over } = serveExport()

    const id = await start()
    expect(await get(id)).toMatchObject({ taskId: id, status: "working", ttlMs: 3_600_000, pollIntervalMs: 1_000 })
    work.resolve({ rows: 3 })
    await over(id)

    expect(await get(id)).toMatchObject({ status: "completed", result: { structuredContent: { rows: 3 } } })
  })

  it("gets the result itself if the action is quick enough", async () => {
    const { request, work } = serveExport({ long: { patienceMs: 60_000 } })
    work.resolve({ rows: 3 })

    expect(await request("tools/call", { name: "exports" }, taking())).toMatchObject({ structuredContent: { rows: 3 } })
  })

  it("gets a task at once if the action says that it takes long", async () => {
    const { start, get } = serveExport(
      { long: { patienceMs: 600_000 } },
      {
        execute(_, { takesLong }) {
          takesLong?.()
          return new Promise(() => undefined)
        },
      },
    )

    expect(await get(await start())).toMatchObject({ status: "working" })
  })

  it("gets a task of an action that is long for it alone, and any other client waits", async () => {
    const { start, get, work, tool, request } = serveExport({}, { long: { tasksOnly: true } })

    const { tools } = await request("tools/list", {}, contextWith())
    const waiting = tool("exports", {})
    const id = await start()
    work.resolve({ rows: 3 })

    expect(JSON.stringify(tools)).not.toContain("task_id")
    expect(JSON.stringify(tools)).not.toContain("get_task")
    expect(await waiting).toMatchObject({ structuredContent: { rows: 3 } })
    await expect.poll(() => get(id)).toMatchObject({ status: "completed" })
  })

  it("gets no task for an action that is not long", async () => {
    const { request } = serveExport()

    expect(await request("tools/call", { name: "greet" }, taking())).not.toHaveProperty("taskId")
  })

  it("reads progress as the task's message", async () => {
    const { start, get, contexts } = serveExport()
    const id = await start()

    contexts[0]?.progress({ progress: 3, total: 10, message: "rows" })

    expect(await get(id)).toMatchObject({ statusMessage: "3/10 rows" })
  })

  it("cancels a task, which aborts its action", async () => {
    const { start, get, cancel, over, contexts } = serveExport()
    const id = await start()

    expect(await cancel(id)).toEqual({})
    await over(id)

    expect(contexts[0]?.signal.aborted).toBe(true)
    expect(await get(id)).toMatchObject({ status: "cancelled" })
    expect(await cancel(id)).toEqual({})
  })

  it("lets go of the request: a client that leaves stops nothing", async () => {
    const { start, get, work, over, contexts, ledger, request } = serveExport()
    const controller = new AbortController()
    await request("tools/list")
    const before = ledger.counts()
    const id = await start(taking({ signal: controller.signal }))

    controller.abort()
    expect(ledger.counts()).toMatchObject({ call: 0, task: 1 })
    expect(contexts[0]?.signal.aborted).toBe(false)
    work.resolve({ rows: 3 })
    await over(id)
    await until(async () => ledger.counts().task === 0)

    expect(await get(id)).toMatchObject({ status: "completed" })
    expect(ledger.counts()).toEqual(before)
  })

  it("learns of a failed action as of a completed task with an error", async () => {
    const { start, get, over } = serveExport({}, { execute: () => fail("no disk") })
    const id = await start()
    await over(id)

    expect(await get(id)).toMatchObject({ status: "completed", result: { isError: true } })
  })

  it("has to declare tasks for their methods", async () => {
    const { get } = serveExport()

    await expect(get("x", contextWith({ leg }))).rejects.toMatchObject({
      code: -32021,
      data: { requiredCapabilities: { extensions: { [TASKS]: {} } } },
    })
  })

  it("learns nothing of tasks that are not its own", async () => {
    const { start, get, cancel, contexts } = serveExport({ scopes: () => ["export"] })
    const ann = (scopes: readonly string[]) => taking({ principal: { id: "ann", scopes } })
    const id = await start(ann(["export"]))
    const unknown = { code: -32602, message: "unknown task: it never existed, or its time to live is over" }

    const elsewhere = taking({ principal: { id: "ann", scopes: ["export"], claims: { tenant: "other" } } })
    for (const other of [taking(), taking({ principal: { id: "bob", scopes: ["export"] } }), ann([]), elsewhere]) {
      await expect(get(id, other)).rejects.toMatchObject(unknown)
      await expect(cancel(id, other)).rejects.toMatchObject(unknown)
    }
    await expect(get("guess", ann(["export"]))).rejects.toMatchObject(unknown)
    expect(contexts[0]?.signal.aborted).toBe(false)
    expect(await get(id, ann(["export", "more"]))).toMatchObject({ status: "working" })
  })
})

describe("any other client", () => {
  it("gets a handle that fits the listed schema, then the result from get_task", async () => {
    const { tool, work, request } = serveExport({ catchUp: true })
    const { tools } = await request("tools/list", {}, contextWith())

    const handle = await tool("exports", {})
    work.resolve({ rows: 3 })
    const id = Reflect.get(Object(handle["structuredContent"]), "task_id")

    expect(handle["isError"]).toBeUndefined()
    expect(JSON.parse(textOf(handle))).toEqual(handle["structuredContent"])
    const exportsTool = (tools as readonly object[]).find((each) => Reflect.get(each, "name") === "exports")
    expect(exportsTool).toMatchObject({
      outputSchema: {
        type: "object",
        anyOf: [
          { properties: { rows: {}, changes: {} }, required: ["rows"] },
          { properties: { task_id: {}, changes: {} }, required: ["task_id", "status", "next"] },
        ],
      },
    })
    expect(textOf(await tool("get_task", { id }))).toBe('"exports" has ended. Its result:\n{"rows":3}')
  })

  it("is told of the end in its next answer, once", async () => {
    const { tool, work, over } = serveExport({ catchUp: true })
    const context = contextWith({ session: "s1" })
    const id = String(Reflect.get(Object((await tool("exports", {}, context))["structuredContent"]), "task_id"))
    work.resolve({ rows: 3 })
    await over(id)

    expect(textOf(await tool("greet", {}, contextWith({ session: "s2" })))).not.toContain(id)
    expect(textOf(await tool("greet", {}, context))).toContain(`get_task {"id":"${id}"}`)
    expect(textOf(await tool("greet", {}, context))).not.toContain(id)
  })

  it("is not told of an end that it waited for", async () => {
    const { tool, work } = serveExport({ catchUp: true })
    const context = contextWith({ session: "s1" })
    const id = Reflect.get(Object((await tool("exports", {}, context))["structuredContent"]), "task_id")

    const waiting = tool("get_task", { id }, context)
    work.resolve({ rows: 3 })

    expect(textOf(await waiting)).toBe('"exports" has ended. Its result:\n{"rows":3}')
    expect(textOf(await tool("greet", {}, context))).not.toContain(String(id))
  })

  it("can stop the work, and asks how far it is without waiting", async () => {
    const { tool, contexts } = serveExport()
    const id = Reflect.get(Object((await tool("exports", {}))["structuredContent"]), "task_id")
    contexts[0]?.progress({ progress: 1, total: 2 })

    expect(textOf(await tool("get_task", { id, waitMs: 0 }))).toContain("still runs: 1/2")
    expect(textOf(await tool("cancel_task", { id }))).toContain("told to stop")
    expect(textOf(await tool("get_task", { id }))).toContain("was cancelled")
  })

  it("is told that it has no such task", async () => {
    const { tool } = serveExport()

    expect(await tool("get_task", { id: "x" })).toMatchObject({ isError: true })
    expect(await tool("cancel_task", { id: "x" })).toMatchObject({ isError: true })
  })

  it("is listed the tools for tasks only while an action is long", async () => {
    const quick = answer(
      createAgenticService({ name: "x", actions: { go: action({ description: "Go", execute: () => undefined }) } }),
    )
    const names = async ({ request }: Pick<typeof quick, "request">) =>
      (((await request("tools/list"))["tools"] ?? []) as readonly { readonly name: string }[]).map(({ name }) => name)

    expect(await names(quick)).toEqual(["go"])
    expect(await names(serveExport())).toEqual(["cancel_task", "get_task", "exports", "greet"])
  })
})

describe("a long action", () => {
  it("ends with its time to live", async () => {
    const { start, get, contexts } = serveExport({}, { long: { ttlMs: 30 } })
    const id = await start()

    await until(async () => contexts[0]?.signal.aborted === true)
    await until(async () => (await get(id).catch(() => undefined)) === undefined)
  })

  it("fails with the reason when the server closes", async () => {
    const records = createMemoryRecords()
    const { start, calls } = serveExport({ long: { patienceMs: 0, records } })
    const id = await start()

    await new Promise<void>((resolve) => calls.close(resolve))

    const stored = await tasksIn(records).read(id)
    expect(stored?.value).toMatchObject({ status: "failed", end: { error: { message: /server was closed/ } } })
  })

  it("is answered at its end if its caller has too many tasks", async () => {
    const { request, start, work } = serveExport({ long: { patienceMs: 0, limits: { callerTasks: 1 } } })
    await start()

    const answered = request("tools/call", { name: "exports" }, taking())
    work.resolve({ rows: 3 })

    expect(await answered).toMatchObject({ structuredContent: { rows: 3 } })
  })

  it("fails, and says so, if its result is too large to keep", async () => {
    const { start, get, work, over } = serveExport(
      { long: { patienceMs: 0, limits: { resultBytes: 1 } }, maxResultChars: 1_000_000 },
      {
        execute: async () => ({ rows: (await work.promise).rows, text: "x".repeat(100_000) }),
      },
    )
    const id = await start()
    work.resolve({ rows: 3 })
    await over(id)

    expect(await get(id)).toMatchObject({ status: "failed", error: { message: /too large to keep/ } })
  })

  it("emits one start, one hand-over and one end", async () => {
    const { start, work, over, events } = serveExport()
    const id = await start()
    work.resolve({ rows: 3 })
    await over(id)

    expect(events.map(({ type }) => type)).toEqual(["call-started", "call-handed", "call-settled"])
  })

  it("counts no longer as a running call once it is handed over", async () => {
    const { start, get, ledger } = serveExport()

    const ids = new Set<string>()
    for (let count = 0; count < 1_000; count += 1) ids.add(await start())

    expect(ids.size).toBe(1_000)
    expect(ledger.counts()).toMatchObject({ call: 0, task: 1_000 })
    for (const id of [...ids].slice(-10)) expect(await get(id)).toMatchObject({ status: "working" })
  })
})

function tasksIn(records: RecordStore) {
  return records.collection<{ readonly status: string }>({
    name: "tasks",
    ttlMs: 2_592_000_000,
    full: "refuse",
    limits: {
      recordBytes: 1_048_576 + 65_536,
      ownerRecords: 1_000,
      ownerBytes: 16_777_216,
      records: 10_000,
      bytes: 268_435_456,
    },
  })
}
