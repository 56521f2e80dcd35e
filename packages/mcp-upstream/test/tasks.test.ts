import { type Action, action, createAgenticService, type ExecuteContext, fail, type Reply } from "@x/agentic-service"
import { createDeferred } from "@x/base"
import { createMcpAdapter } from "@x/mcp-adapter"
import { serveHttp } from "@x/mcp-adapter/http"
import { of } from "rxjs"
import { describe, expect, it, onTestFinished } from "vitest"
import { fromMcpServer } from "../src/index.js"
import { connectTo, type Era } from "./servers.js"

const Rows = { type: "object", properties: { rows: { type: "integer" } }, required: ["rows"] } as const
const Name = { type: "object", properties: { name: { type: "string" } }, required: ["name"] }

/** Starts a server that hands its calls over at once, and a service that stands for it. */
async function startFar() {
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
  const adapter = createMcpAdapter(board, { tasks: { patienceMs: 0 } })
  const server = await serveHttp(adapter, { port: 0 })
  const near = fromMcpServer({ url: server.url }, { limits: { retryMaxMs: 500 } })
  onTestFinished(async () => {
    await near.close()
    await server.close()
    adapter.close()
    expect(near.holdings()).toMatchObject({ calls: 0, timers: 0 })
  })
  return { near, work, contexts, adapter }
}

/** Returns the actions as their service shows them. */
async function actionsOf(actions: Parameters<typeof createAgenticService>[0]["actions"]) {
  const service = createAgenticService({ name: "board", actions: actions ?? {} })
  return new Promise<Readonly<Record<string, Action>>>((resolve) => {
    service.actions.subscribe(resolve)
  })
}

const idOf = (result: object): string => /task_id\W+(\w+)/.exec(JSON.stringify(result))?.[1] ?? ""

describe.each<Era>(["legacy", "modern"])("a task of a server, for a %s client", (era) => {
  it("is awaited, with its progress, and its result is the call's", async () => {
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

  it("becomes one of ours, from which the client fetches the result", async () => {
    const { near, work } = await startFar()
    const client = await connectTo(near, era, { adapter: { tasks: { wordsAfterMs: 0 } } })

    const id = idOf(await client.callTool({ name: "exports" }))
    work.resolve({ rows: 3 })
    const { content } = await client.callTool({ name: "get_task", arguments: { id, waitMs: 45_000 } })

    expect(JSON.stringify(content)).toContain('{\\"rows\\":3}')
  })

  it("is cancelled with ours", async () => {
    const { near, contexts } = await startFar()
    const client = await connectTo(near, era, { adapter: { tasks: { wordsAfterMs: 0 } } })
    const id = idOf(await client.callTool({ name: "exports" }))
    await expect.poll(() => contexts.length, { timeout: 20_000 }).toBe(1)

    await client.callTool({ name: "cancel_task", arguments: { id } })

    await expect.poll(() => contexts[0]?.signal.aborted, { timeout: 20_000 }).toBe(true)
    const { content } = await client.callTool({ name: "get_task", arguments: { id, waitMs: 45_000 } })
    expect(JSON.stringify(content)).toContain("was cancelled")
  })

  it("fails as its action does", async () => {
    const { near } = await startFar()
    const client = await connectTo(near, era)

    const result = await client.callTool({ name: "broken" })

    expect(result.isError).toBe(true)
    expect(JSON.stringify(result)).toContain("no disk")
  })

  it("asks the person in front of the client", async () => {
    const { near } = await startFar()
    const client = await connectTo(near, era, { capabilities: { elicitation: {} } })
    const asked: string[] = []
    client.setRequestHandler("elicitation/create", ({ params }) => {
      asked.push(params.message)
      return { action: "accept", content: { name: "Ann" } }
    })

    const { content } = await client.callTool({ name: "asks" })

    expect(asked).toHaveLength(1)
    expect(asked[0]).toContain("Who?")
    expect(JSON.stringify(content)).toContain("Ann")
  })
})

it("a task of a server that closes has failed, and says why", async () => {
  const { near, contexts, adapter } = await startFar()
  const client = await connectTo(near, "modern")
  const called = client.callTool({ name: "exports" })
  await expect.poll(() => contexts.length).toBe(1)

  adapter.close()

  expect(await called.then((result) => JSON.stringify(result), String)).toMatch(/could not be called|unknown task/)
})
