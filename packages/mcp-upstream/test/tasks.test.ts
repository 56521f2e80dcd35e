import {
  type Action,
  type AgenticService,
  action,
  createAgenticService,
  type ExecuteContext,
  fail,
  type Reply,
} from "@x/agentic-service"
import { createDeferred } from "@x/base"
import { createMcpAdapter, type McpAdapterOptions } from "@x/mcp-adapter"
import { serveHttp } from "@x/mcp-adapter/http"
import { filter, firstValueFrom, of } from "rxjs"
import { describe, expect, it, onTestFinished } from "vitest"
import { fromMcpServer } from "../src/index.js"
import { connectTo, type Era } from "./servers.js"

const Rows = { type: "object", properties: { rows: { type: "integer" } }, required: ["rows"] } as const
const Name = { type: "object", properties: { name: { type: "string" } }, required: ["name"] }

/** Starts a server that hands its calls over at once, and a service that stands for it. */
async function startFar(tasks: McpAdapterOptions["tasks"] = {}) {
  const work = createDeferred<{ readonly rows: number }>()
  const contexts: ExecuteContext[] = []
  const exports = action({
    description: "Exports all rows",
    long: true,
    output: Rows,
    execute(_, context) {
      contexts.push(context)
      const stopped = new Promise<never>((_, reject) => {
        context.signal.addEventListener("abort", () => reject(new Error("stopped")))
      })
      return Promise.race([work.promise, stopped])
    },
  })
  const broken = action({ description: "Fails", long: true, execute: () => fail("no disk") })
  const asks: Action = {
    description: "Asks while it works",
    schema: undefined,
    hints: {},
    long: true,
    check: () => ({ ok: true, input: undefined }),
    execute: async (): Promise<Reply> => ({
      ok: "ask",
      questions: { who: { message: "Who?", schema: Name } },
      resume: async (answers) => ({ ok: true, value: answers }),
    }),
  }
  const board = {
    ...createAgenticService({ name: "board" }),
    actions: of({ asks, ...(await actionsOf({ exports, broken })) }),
  }
  const adapter = createMcpAdapter(board, { tasks: { patienceMs: 0, ...tasks } })
  const server = await serveHttp(adapter, { port: 0, results: { catchUp: false } })
  const direct = await connectTo(board, "modern")
  const near = fromMcpServer({ url: server.url }, { limits: { retryMaxMs: 500 } })
  onTestFinished(async () => {
    await near.close()
    await server.close()
    adapter.close()
    expect(near.holdings()).toMatchObject({ calls: 0, timers: 0 })
  })
  return { near, work, contexts, adapter, direct }
}

/** Returns the actions as their service shows them. */
async function actionsOf(actions: Parameters<typeof createAgenticService>[0]["actions"]) {
  const service = createAgenticService({ name: "board", actions: actions ?? {} })
  return new Promise<Readonly<Record<string, Action>>>((resolve) => {
    service.actions.subscribe(resolve)
  })
}

describe.each<Era>(["legacy", "modern"])("a long action of a server, for a %s client that takes no tasks", (era) => {
  it("is listed as the server lists it", async () => {
    const { near, direct } = await startFar()
    const client = await connectTo(near, era)

    const [ours, theirs] = await Promise.all([client.listTools(), direct.listTools()])

    const outputOf = (tools: typeof ours.tools) => tools.find(({ name }) => name === "exports")?.outputSchema
    expect(outputOf(ours.tools)).toMatchObject({ anyOf: [Rows, { required: ["task_id", "status", "next"] }] })
    expect(outputOf(ours.tools)).toEqual(outputOf(theirs.tools))
  })

  it("is answered by the server's own handle, from which the client fetches the result", async () => {
    const { near, work } = await startFar({ wordsAfterMs: 0 })
    const client = await connectTo(near, era)

    const { structuredContent } = await client.callTool({ name: "exports" })
    work.resolve({ rows: 3 })
    const { content } = await client.callTool({
      name: "get_task",
      arguments: { id: Object(structuredContent)["task_id"], waitMs: 45_000 },
    })

    expect(JSON.stringify(content)).toContain('{\\"rows\\":3}')
  })

  it("is awaited, with its progress", async () => {
    const { near, work, contexts } = await startFar()
    const client = await connectTo(near, era)
    const told: unknown[] = []
    const called = client.callTool({ name: "exports" }, { onprogress: (progress) => told.push(progress) })
    await expect.poll(() => contexts.length).toBe(1)

    contexts[0]?.progress({ progress: 3, total: 10, message: "rows" })
    await expect.poll(() => told, { timeout: 20_000 }).toContainEqual({ progress: 3, total: 10, message: "rows" })
    work.resolve({ rows: 3 })

    expect(await called).toMatchObject({ structuredContent: { rows: 3 } })
    expect(contexts).toHaveLength(1)
  })
})

describe("a task of a server", () => {
  it("is awaited, with its progress, and its result is the call's", async () => {
    const { near, work, contexts } = await startFar()
    const told: unknown[] = []
    const called = callOn(near, "exports", { progress: (progress) => told.push(progress) })
    await expect.poll(() => contexts.length).toBe(1)

    contexts[0]?.progress({ progress: 3, total: 10, message: "rows" })
    await expect.poll(() => told, { timeout: 20_000 }).toContainEqual({ progress: 3, total: 10, message: "rows" })
    work.resolve({ rows: 3 })

    expect(await called).toMatchObject({ ok: true, value: { rows: 3 } })
    expect(contexts).toHaveLength(1)
  })

  it("becomes one of ours for a client that takes tasks", async () => {
    const { near, work } = await startFar()
    const { between, client } = await startBetween(near)
    const handed: unknown[] = []
    between.events.subscribe(({ type }) => type === "call-handed" && handed.push(type))

    const called = callOn(client, "exports")
    await expect.poll(() => handed, { timeout: 20_000 }).toHaveLength(1)
    work.resolve({ rows: 3 })

    expect(await called).toMatchObject({ ok: true, value: { rows: 3 } })
  })

  it("is awaited by a call without a protocol", async () => {
    const { near, work, contexts } = await startFar({ wordsAfterMs: 0 })
    const between = createMcpAdapter(near)
    onTestFinished(between.close)
    const called = between.call("exports")
    await expect.poll(() => contexts.length, { timeout: 20_000 }).toBe(1)

    work.resolve({ rows: 3 })

    expect(await called).toMatchObject({ kind: "settled", outcome: { ok: true, value: { rows: 3 } } })
  })

  it("is cancelled with ours", async () => {
    const { near, contexts } = await startFar()
    const { client } = await startBetween(near)
    const stop = new AbortController()
    const called = callOn(client, "exports", { signal: stop.signal })
    await expect.poll(() => contexts.length, { timeout: 20_000 }).toBe(1)

    stop.abort()

    await expect.poll(() => contexts[0]?.signal.aborted, { timeout: 20_000 }).toBe(true)
    expect(await called).toMatchObject({ ok: false, code: "aborted" })
  })

  it("fails as its action does", async () => {
    const { near } = await startFar()

    expect(await callOn(near, "broken")).toMatchObject({ ok: false, message: expect.stringContaining("no disk") })
  })

  it("asks whoever called", async () => {
    const { near } = await startFar()
    const context = contextOf()

    const asked = await callOn(near, "asks", context)
    if (asked.ok !== "ask") throw new Error(`found ${JSON.stringify(asked)}, expected a question`)
    const [[key = "", question] = []] = Object.entries(asked.questions)
    expect(question?.message).toContain("Who?")

    const reply = await asked.resume({ [key]: { name: "Ann" } }, context)
    expect(JSON.stringify(reply)).toContain("Ann")
  })

  it("has failed if the server closes, and says why", async () => {
    const { near, contexts, adapter } = await startFar()
    const called = callOn(near, "exports")
    await expect.poll(() => contexts.length).toBe(1)

    adapter.close()

    expect(JSON.stringify(await called)).toMatch(/could not be called|unknown task/)
  })
})

function contextOf(parts: Partial<ExecuteContext> = {}): ExecuteContext {
  return { signal: new AbortController().signal, progress: () => undefined, answers: {}, ...parts }
}

/** Calls an action of a service, once it is there. */
async function callOn(service: AgenticService, key: string, parts?: Partial<ExecuteContext>): Promise<Reply> {
  const { [key]: found } = await firstValueFrom(service.actions.pipe(filter((actions) => key in actions)))
  return (await found?.execute(undefined, contextOf(parts))) ?? { ok: false, code: "not_found", message: key }
}

/** Serves a service over HTTP to a client that takes tasks. */
async function startBetween(near: AgenticService) {
  const between = createMcpAdapter(near, { tasks: { patienceMs: 0 } })
  const server = await serveHttp(between, { port: 0 })
  const client = fromMcpServer({ url: server.url })
  onTestFinished(async () => {
    await client.close()
    await server.close()
    between.close()
  })
  return { between, client }
}
