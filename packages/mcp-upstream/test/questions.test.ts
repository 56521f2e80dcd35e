import type { Reply } from "@x/agentic-service"
import { createMcpAdapter } from "@x/mcp-adapter"
import { connectInMemory } from "@x/mcp-adapter/in-memory"
import { filter, firstValueFrom } from "rxjs"
import { describe, expect, it, onTestFinished } from "vitest"
import { fromMcpServer, type Upstream } from "../src/index.js"
import { createScripted, tool } from "./scripted.js"
import { connectTo } from "./servers.js"

const context = { signal: new AbortController().signal, progress: () => {}, answers: {} }
const QUESTION = { message: "Which?", requestedSchema: { type: "object", properties: { name: { type: "string" } } } }

describe("a question in the middle of a call, in the legacy era", () => {
  it.each([
    [{ answer: { name: "red" } }, { action: "accept", content: { name: "red" } }],
    ["declined" as const, { action: "decline" }],
    ["cancelled" as const, { action: "cancel" }],
  ])("is the outcome, and the call goes on with %j", async (given, answered) => {
    const server = askingServer()
    await firstValueFrom(server.actions)

    const asked = await server.execute("ask", {}, context)
    const reply = asked.ok === "ask" ? await asked.resume(given, context) : asked

    expect(asked).toMatchObject({
      ok: "ask",
      questions: { answer: { message: "Which?", schema: QUESTION.requestedSchema } },
    })
    expect(textOf(reply)).toEqual(answered)
  })

  it("is cancelled where several calls run and nobody knows whose it is, and that is told", async () => {
    const server = askingServer()
    await firstValueFrom(server.actions)
    const told = firstValueFrom(server.events.pipe(filter((event) => event.type === "diagnostic")))

    const replies = await Promise.all([server.execute("ask", {}, context), server.execute("ask", {}, context)])

    expect(replies.map(textOf)).toContainEqual({ action: "cancel" })
    expect(await told).toMatchObject({ code: "question_dropped" })
  })
})

describe("a question in the middle of a call, through the gateway", () => {
  it("reaches the person in front of the client, and its answer the server", async () => {
    const client = await connectTo(askingServer(), "modern", { capabilities: { elicitation: { form: {} } } })
    const asked: unknown[] = []
    client.setRequestHandler("elicitation/create", ({ params }) => {
      asked.push(params.message)
      return { action: "accept", content: { name: "blue" } }
    })
    await client.listTools()

    const { content } = await client.callTool({ name: "ask" })

    expect(asked).toEqual(["Which?"])
    expect(JSON.parse(String(Object(content[0])["text"]))).toEqual({ action: "accept", content: { name: "blue" } })
  })
})

describe("a question in the middle of a call, in the modern era", () => {
  it("is the outcome, and the call is put again with the answer", async () => {
    const near = askingServer()
    const adapter = createMcpAdapter(near, { limits: { readyWaitMs: 5_000 } })
    const far = fromMcpServer({ transport: async () => connectInMemory(adapter) }, { era: "modern" })
    onTestFinished(() => far.close().finally(adapter.close))
    await firstValueFrom(far.actions)

    const asked = await far.execute("ask", {}, context)
    const [key = ""] = asked.ok === "ask" ? Object.keys(asked.questions) : []
    const reply = asked.ok === "ask" ? await asked.resume({ [key]: { name: "green" } }, context) : asked

    expect(asked).toMatchObject({ ok: "ask" })
    expect(textOf(reply)).toEqual({ action: "accept", content: { name: "green" } })
  })
})

function textOf(reply: Reply): unknown {
  return reply.ok === true ? JSON.parse(String(Object(reply.content?.[0])["text"])) : reply
}

/** A server whose tool asks the person, and answers with the answer. */
function askingServer(): Upstream {
  let id = 0
  const script = createScripted({
    "tools/list": () => ({ tools: [tool("ask")] }),
    "tools/call": async () => {
      // Two calls that come together ask together.
      await new Promise((resolve) => setImmediate(resolve))
      id += 1
      const answer = await script.ask(`q${id}`, "elicitation/create", QUESTION)
      return { content: [{ type: "text", text: JSON.stringify(answer) }] }
    },
  })
  const server = fromMcpServer({ transport: script.transport }, { connect: "eager" })
  onTestFinished(() => server.close())
  return server
}
