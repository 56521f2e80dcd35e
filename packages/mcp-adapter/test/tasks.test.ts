import {
  type Action,
  type Ask,
  action,
  createAgenticService,
  type ExecuteContext,
  fail,
  link,
} from "@x/agentic-service"
import { createFedService, type Feed } from "@x/agentic-service/adapter"
import { createDeferred } from "@x/base"
import { createMemoryRecords } from "@x/records"
import { NEVER } from "rxjs"
import { describe, expect, it, onTestFinished } from "vitest"
import { apiKeys, type HttpOptions, serveHttp } from "../src/border/http.js"
import { createMcpAdapter } from "../src/create-adapter.js"
import type { McpAdapterOptions } from "../src/options.js"
import { createWire, type Message, readAnswer, readMessages } from "./support/wire.js"

const TASKS = "io.modelcontextprotocol/tasks"
const CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
const declaring = { _meta: { [CAPABILITIES]: { elicitation: {}, extensions: { [TASKS]: {} } } } }
const plain = { _meta: { [CAPABILITIES]: { elicitation: {} } } }

/** Serves long actions over HTTP. */
async function serveLong(options: McpAdapterOptions = {}, http: HttpOptions = {}) {
  const work = createDeferred<{ readonly rows: number }>()
  const contexts: ExecuteContext[] = []
  const exports = action({
    description: "Exports all rows",
    long: true,
    execute: async (_, context) => {
      contexts.push(context)
      return work.promise
    },
  })
  const clear = action({
    description: "Clears",
    long: true,
    confirm: () => "Clear all?",
    execute: () => ({ cleared: true }),
  })
  const broken = action({ description: "Fails", long: true, execute: () => fail("no disk") })
  const service = createAgenticService({
    name: "board",
    actions: { exports, clear, broken },
    links: { other: link({ description: "Asks while it works", service: createAsking() }) },
  })
  const adapter = createMcpAdapter(service, { tasks: { patienceMs: 0 }, ...options })
  const server = await serveHttp(adapter, { port: 0, ...http })
  onTestFinished(() => server.close().finally(adapter.close))
  const wire = createWire(server.url)
  const send = (method: string, params: object, headers: Readonly<Record<string, string>> = {}) =>
    readAnswer(
      wire.modern(
        { id: 1, method, params: { ...declaring, ...params } },
        { headers: { "x-api-key": "ann", ...headers } },
      ),
    )
  const about = (method: string, taskId: string, more: object = {}) =>
    send(method, { taskId, ...more }, { "mcp-name": taskId })
  return {
    ...wire,
    adapter,
    work,
    contexts,
    send,
    about,
    get: async (id: string) => (await about("tasks/get", id)).result ?? {},
    start: async (name: string) => {
      const { result } = await send("tools/call", { name })
      return String(result?.["taskId"])
    },
  }
}

/** Creates a service whose action asks twice while it runs, the second time two questions at once. */
function createAsking() {
  const schema = { type: "object", properties: { name: { type: "string" } }, required: ["name"] }
  const question = (message: string) => ({ message, schema })
  const ask: Action = {
    description: "Asks",
    toolName: "ask",
    long: true,
    schema: undefined,
    hints: { readOnly: true },
    check: (input) => ({ ok: true, input }),
    execute: async (): Promise<Ask> => ({
      ok: "ask",
      questions: { one: question("One?") },
      resume: async (): Promise<Ask> => ({
        ok: "ask",
        questions: { one: question("One again?"), two: question("Two?") },
        resume: async (answers) => ({ ok: true, value: answers }),
      }),
    }),
  }
  const none = { connect: () => () => undefined, spoken: () => true, find: () => undefined, keys: () => [] }
  const actions: Feed<Action> = { ...none, find: (key) => (key === "ask" ? ask : undefined), keys: () => ["ask"] }
  const declared = { states: {}, actions: {}, links: {} }
  return createFedService({ name: "other", states: none, actions, links: none, declared, failures: NEVER })
}

const yes = (name: string) => ({ action: "accept", content: { name } })

describe("tasks over HTTP (SEP-2663)", () => {
  it("are announced as an extension [tasks-announced]", async () => {
    const { send } = await serveLong()

    const { result } = await send("server/discover", {})

    expect(result?.["capabilities"]).toMatchObject({ extensions: { [TASKS]: {} } })
    expect(result?.["capabilities"]).not.toHaveProperty("tasks")
  })

  it("are flat, and there before the answer is [tasks-created, tasks-durable, tasks-get]", async () => {
    const { send, get, work } = await serveLong()

    const { result = {} } = await send("tools/call", { name: "exports" })
    const id = String(result["taskId"])
    const now = await get(id)
    work.resolve({ rows: 3 })

    expect(result).toMatchObject({ resultType: "task", status: "working", ttlMs: 3_600_000, pollIntervalMs: 1_000 })
    expect(new Date(String(result["createdAt"])).toISOString()).toBe(result["createdAt"])
    expect(now).toMatchObject({ resultType: "complete", taskId: id, status: "working" })
    expect(now).not.toHaveProperty("result")
    await expect
      .poll(() => get(id))
      .toMatchObject({ status: "completed", result: { content: [{ text: '{"rows":3}' }] } })
  })

  it("complete with a failure of their action [tasks-failed]", async () => {
    const { start, get } = await serveLong()
    const id = await start("broken")

    await expect.poll(() => get(id)).toMatchObject({ status: "completed", result: { isError: true } })
  })

  it("are given to nobody who does not declare them [tasks-undeclared]", async () => {
    const { send, work } = await serveLong()
    work.resolve({ rows: 3 })

    expect((await send("tools/call", { name: "exports", ...plain })).result).toMatchObject({ resultType: "complete" })
  })

  it.each(["tasks/get", "tasks/update", "tasks/cancel"])(
    "have methods only for who declares them: %s [tasks-methods-undeclared]",
    async (method) => {
      const { about } = await serveLong()

      const { status, error } = await about(method, "x", plain)

      expect({ status, error }).toMatchObject({
        status: 400,
        error: { code: -32021, data: { requiredCapabilities: { extensions: { [TASKS]: {} } } } },
      })
    },
  )

  it("are cancelled with an empty acknowledgement [tasks-ack]", async () => {
    const { start, about, get, contexts } = await serveLong({ calls: { graceMs: 0 } })
    const id = await start("exports")

    const { result = {} } = await about("tasks/cancel", id)

    expect(Object.keys(result).sort()).toEqual(["_meta", "resultType"])
    expect(contexts[0]?.signal.aborted).toBe(true)
    await expect.poll(() => get(id)).toMatchObject({ status: "cancelled" })
  })

  it("are unknown to other callers [tasks-unknown, tasks-ids]", async () => {
    const { send, start, about } = await serveLong({}, { authenticate: apiKeys((key) => ({ id: key })) })
    const ids = await Promise.all([start("exports"), start("exports")])

    for (const taskId of [ids[0] ?? "", "guess"]) {
      const { error } = await send("tasks/get", { taskId }, { "mcp-name": taskId, "x-api-key": "eve" })
      expect(error).toMatchObject({ code: -32602, message: expect.stringContaining("unknown task") })
    }
    expect((await about("tasks/get", ids[0] ?? "")).error).toBeUndefined()
    expect(ids[0]).toMatch(/^[0-9a-f]{64}$/)
    expect(ids[0]).not.toBe(ids[1])
  })

  it("ask under keys that never repeat, until all is answered [tasks-keys, tasks-partial]", async () => {
    const { start, get, about } = await serveLong()
    const id = await start("ask")
    const keys = async () => Object.keys(Object((await get(id))["inputRequests"]))
    const answer = (inputResponses: object) => about("tasks/update", id, { inputResponses })

    await expect.poll(keys).toHaveLength(1)
    const [first = ""] = await keys()
    await answer({ [first]: { action: "accept", content: { wrong: true } }, other: yes("x") })
    expect(await keys()).toEqual([first])
    await answer({ [first]: yes("Ann") })
    await expect.poll(keys).toHaveLength(2)
    const [second = "", third = ""] = await keys()
    await answer({ [second]: yes("Bea") })
    expect(await keys()).toEqual([third])
    await answer({ [third]: yes("Cy") })

    expect(new Set([first, second, third]).size).toBe(3)
    await expect
      .poll(() => get(id))
      .toMatchObject({ result: { content: [{ text: '{"one":{"name":"Bea"},"two":{"name":"Cy"}}' }] } })
  })

  it("take answers that reach another process", async () => {
    const records = createMemoryRecords()
    const runner = await serveLong({ tasks: { patienceMs: 0, records } })
    const other = await serveLong({ tasks: { patienceMs: 0, records } })
    const id = await runner.start("ask")
    for (const names of [["Ann"], ["Bea", "Cy"]]) {
      await expect
        .poll(async () => Object.keys(Object((await other.get(id))["inputRequests"])))
        .toHaveLength(names.length)
      const keys = Object.keys(Object((await other.get(id))["inputRequests"]))
      const inputResponses = Object.fromEntries(keys.map((key, index) => [key, yes(names[index] ?? "")]))
      expect((await other.about("tasks/update", id, { inputResponses })).error).toBeUndefined()
    }

    await expect
      .poll(() => other.get(id))
      .toMatchObject({ result: { content: [{ text: '{"one":{"name":"Bea"},"two":{"name":"Cy"}}' }] } })
  })

  it("ask only for what their client declared [tasks-askable]", async () => {
    const { send, get } = await serveLong()
    const _meta = { [CAPABILITIES]: { extensions: { [TASKS]: {} } } }
    const id = String((await send("tools/call", { name: "ask", _meta })).result?.["taskId"])

    await expect.poll(() => get(id)).toMatchObject({ status: "completed", result: { isError: true } })
  })

  it("begin after the questions that come before the work [tasks-questions-first]", async () => {
    const { send } = await serveLong()
    const { result = {} } = await send("tools/call", { name: "clear" })
    const { inputRequests, requestState } = result
    const [key = ""] = Object.keys(Object(inputRequests))

    const inputResponses = { [key]: { action: "accept", content: { confirm: true } } }
    const again = await send("tools/call", { name: "clear", requestState, inputResponses })

    expect(result).not.toHaveProperty("taskId")
    expect(again.result).toMatchObject({ resultType: "task" })
    expect(again.result).not.toHaveProperty("requestState")
  })

  it("are told of in full to twenty streams that name them [tasks-notify]", async () => {
    const { start, modern, work, contexts } = await serveLong()
    const id = await start("exports")
    const other = await start("exports")
    const listen = (taskIds: readonly string[]): Message => ({
      id: "l",
      method: "subscriptions/listen",
      params: { ...declaring, notifications: { taskIds } },
    })
    const streams = await Promise.all(
      Array.from({ length: 20 }, async () => readMessages(await modern(listen([id, "unknown"])))),
    )
    const first = await Promise.all(streams.map((stream) => stream.next()))

    contexts[1]?.progress({ progress: 1 })
    work.resolve({ rows: 3 })
    const told = await Promise.all(streams.map((stream) => stream.next()))

    expect(other).not.toBe(id)
    for (const { value } of first) expect(value?.params?.["notifications"]).toEqual({ taskIds: [id] })
    for (const { value } of told) {
      expect(value).toMatchObject({
        method: "notifications/tasks",
        params: {
          taskId: id,
          status: "completed",
          result: { content: [{ text: '{"rows":3}' }] },
          _meta: { "io.modelcontextprotocol/subscriptionId": "l" },
        },
      })
    }
  })

  it("are listened to only by who declares them [tasks-notify-undeclared]", async () => {
    const { send } = await serveLong()

    const { status, error } = await send("subscriptions/listen", { ...plain, notifications: { taskIds: ["x"] } })

    expect({ status, error }).toMatchObject({ status: 400, error: { code: -32021 } })
  })

  it("are told of to no other caller [tasks-ids]", async () => {
    const { start, modern } = await serveLong({}, { authenticate: apiKeys((key) => ({ id: key })) })
    const id = await start("exports")
    const params = { ...declaring, notifications: { taskIds: [id], toolsListChanged: true } }
    const listen: Message = { id: "l", method: "subscriptions/listen", params }

    const stream = readMessages(await modern(listen, { headers: { "x-api-key": "eve" } }))

    const { value } = await stream.next()
    expect(value?.params?.["notifications"]).toEqual({ toolsListChanged: true })
  })

  it("are named in the header of their requests [tasks-name]", async () => {
    const { send } = await serveLong()

    expect((await send("tasks/get", { taskId: "x" })).error?.code).toBe(-32020)
    expect((await send("tasks/get", { taskId: "x" }, { "mcp-name": "y" })).error?.code).toBe(-32020)
  })

  it.each(["tasks/list", "tasks/result"])("have no methods of former revisions: %s [tasks-removed]", async (method) => {
    const { send } = await serveLong()

    expect((await send(method, {})).error?.code).toBe(-32601)
  })

  it("depend on the extension alone, whatever a call says of tasks [tasks-legacy-param]", async () => {
    const { send, start, work } = await serveLong()
    work.resolve({ rows: 3 })
    const call = { name: "exports", task: { ttl: 5 } }

    expect((await send("tools/call", { ...call, ...plain })).result).toMatchObject({ resultType: "complete" })
    expect((await send("tools/call", call)).result).toMatchObject({ resultType: "task", ttlMs: 3_600_000 })
    expect(await start("exports")).toMatch(/^[0-9a-f]{64}$/)
  })

  it("have no methods in the legacy era", async () => {
    const { open } = await serveLong()
    const { send } = await open()

    expect((await readAnswer(send({ id: 1, method: "tasks/get", params: { taskId: "x" } }))).error?.code).toBe(-32601)
  })
})
