import { StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { type AgenticService, type Ask, createAgenticService, type Reply } from "@x/agentic-service"
import { of } from "rxjs"
import { describe, expect, it, onTestFinished } from "vitest"
import { serveHttp } from "../src/border/http.js"
import { createMcpAdapter } from "../src/create-adapter.js"
import { createClient, type Era } from "./support/connect.js"

const eras: readonly Era[] = ["legacy", "modern"]
const Size = { type: "object", properties: { size: { type: "integer" } }, required: ["size"] } as const

/** Creates another library's service: its action starts, and asks twice before it ends. */
function createForeign(begun: () => void, long: true | undefined): AgenticService {
  const ask = (message: string, next: (said: unknown) => Reply): Ask => ({
    ok: "ask",
    questions: { size: { message, schema: Size } },
    resume: async (said) => (typeof said === "string" ? { ok: false, message: `it was ${said}` } : next(said)),
  })
  const execute = async (): Promise<Reply> => {
    begun()
    return ask("Which size?", (one) => ask("And the other?", (other) => ({ ok: true, value: { one, other } })))
  }
  const order = { description: "Order", schema: undefined, hints: {}, execute, ...(long && { long }) }
  const check = () => ({ ok: true, input: undefined }) as const
  return { ...createAgenticService({ name: "shop" }), actions: of({ order: { ...order, check } }) }
}

/** Serves the shop over real HTTP, and connects a client whose person gives the answers. */
async function open(era: Era, answers: readonly ("decline" | "cancel" | "throw" | number)[], long?: true) {
  const begun: true[] = []
  const service = createForeign(() => begun.push(true), long)
  const adapter = createMcpAdapter(service, { tasks: { wordsAfterMs: 0 } })
  const server = await serveHttp(adapter, { port: 0 })
  const client = createClient(era, answers.length === 0 ? {} : { elicitation: {} })
  const asked: string[] = []
  if (answers.length > 0)
    client.setRequestHandler("elicitation/create", ({ params }) => {
      const answer = answers[asked.push(params.message) - 1] ?? "cancel"
      if (answer === "throw") throw new Error("no window")
      return typeof answer === "string" ? { action: answer } : { action: "accept", content: { size: answer } }
    })
  await client.connect(new StreamableHTTPClientTransport(new URL(server.url)))
  onTestFinished(async () => {
    await client.close()
    await server.close()
    adapter.close()
  })
  return { client, asked, begun }
}

describe.each(eras)("a question of a running foreign action, over HTTP with a %s client", (era) => {
  it("reaches the person twice, and the answers reach the action, which started once", async () => {
    const { client, asked, begun } = await open(era, [3, 4])

    const { content } = await client.callTool({ name: "order" })

    expect(JSON.stringify(content)).toContain(
      JSON.stringify(JSON.stringify({ one: { size: { size: 3 } }, other: { size: { size: 4 } } })).slice(1, -1),
    )
    expect([asked, begun]).toEqual([["Which size?\n\nAction: order", "And the other?\n\nAction: order"], [true]])
  })

  it.each([
    ["decline", "it was declined"],
    ["cancel", "it was cancelled"],
  ] as const)("is told to the action when the person chooses to %s", async (choice, message) => {
    const { client } = await open(era, [3, choice])

    expect(JSON.stringify(await client.callTool({ name: "order" }))).toContain(message)
  })

  it("is cancelled when the client cannot ask", async () => {
    const { client, begun } = await open(era, [])

    expect(JSON.stringify(await client.callTool({ name: "order" }))).toContain("it was cancelled")
    expect(begun).toEqual([true])
  })
})

describe.each(eras)("a question of an action that outlasts its call, over HTTP with a %s client", (era) => {
  const idOf = (result: object): string => /task_id: (\w+)/.exec(JSON.stringify(result))?.[1] ?? ""

  it("reaches the person when the client fetches the result", async () => {
    const { client, asked, begun } = await open(era, [3, 4], true)
    const id = idOf(await client.callTool({ name: "order" }))
    expect(asked).toEqual([])

    const result = await client.callTool({ name: "get_task", arguments: { id } })

    expect(result.isError).toBeUndefined()
    expect(JSON.stringify(result.content)).toContain("has ended")
    expect(JSON.stringify(result.content)).toContain(
      JSON.stringify(JSON.stringify({ one: { size: { size: 3 } }, other: { size: { size: 4 } } })).slice(1, -1),
    )
    expect([asked, begun]).toEqual([["Which size?\n\nAction: order", "And the other?\n\nAction: order"], [true]])
  })

  it("is told to the action when the person declines", async () => {
    const { client } = await open(era, ["decline"], true)
    const id = idOf(await client.callTool({ name: "order" }))

    const result = await client.callTool({ name: "get_task", arguments: { id } })

    expect(JSON.stringify(result)).toContain("it was declined")
  })

  it("is cancelled when the client cannot ask", async () => {
    const { client } = await open(era, [], true)
    const id = idOf(await client.callTool({ name: "order" }))

    const result = await client.callTool({ name: "get_task", arguments: { id } })

    expect(JSON.stringify(result)).toContain("it was cancelled")
  })
})

describe("a question of an action that outlasts its call, over HTTP with a legacy client", () => {
  it("is announced once, in the first answer after it was asked", async () => {
    const { client } = await open("legacy", [3, 4], true)
    const other = { name: "get_task", arguments: { id: "other" } }

    // It may be asked before the call itself is answered.
    const answers = [await client.callTool({ name: "order" })]
    for (let calls = 0; calls < 3; calls += 1) answers.push(await client.callTool(other))

    expect(JSON.stringify(answers).split("waits for an answer of the person")).toHaveLength(2)
  })
})

describe("a question of a running foreign action, over HTTP with a legacy client", () => {
  it("is cancelled at once when the client answers it with an error", async () => {
    const { client, asked, begun } = await open("legacy", [3, "throw"])

    const result = await client.callTool({ name: "order" })

    expect(JSON.stringify(result)).toContain("it was cancelled")
    expect(JSON.stringify(result)).toContain("the client could not be asked: ")
    expect(result.isError).toBe(true)
    expect([asked.length, begun]).toEqual([2, [true]])
  })
})
