import { action, createAgenticService, type Reply } from "@x/agentic-service"
import { createMcpAdapter } from "@x/mcp-adapter"
import { connectInMemory } from "@x/mcp-adapter/in-memory"
import { filter, firstValueFrom } from "rxjs"
import { describe, expect, it, onTestFinished } from "vitest"
import { fromMcpServer, type Upstream, type UpstreamEvent } from "../src/index.js"
import { createScripted, tool } from "./scripted.js"
import { connectTo, type Era } from "./servers.js"

const context = { signal: new AbortController().signal, progress: () => {}, answers: {} }
const ASKED = 'The server "unnamed" asks, in its own words:\n> Which?'
const QUESTION = { message: "Which?", requestedSchema: { type: "object", properties: { name: { type: "string" } } } }

describe("a question in the middle of a call, in the legacy era", () => {
  it.each([
    [{ answer: { name: "red" } }, { action: "accept", content: { name: "red" } }],
    ["declined" as const, { action: "decline" }],
    ["cancelled" as const, { action: "cancel" }],
  ])("is the outcome, and the call goes on with %j", async (given, answered) => {
    const { server } = askingServer()
    await firstValueFrom(server.actions)

    const asked = await server.execute("ask", {}, context)
    const reply = asked.ok === "ask" ? await asked.resume(given, context) : asked

    expect(asked).toMatchObject({
      ok: "ask",
      questions: { answer: { message: ASKED, schema: QUESTION.requestedSchema } },
    })
    expect(textOf(reply)).toEqual(answered)
  })

  it("is declined at once where another call runs as well, and told", async () => {
    const { server, script, finish } = askingServer()
    await firstValueFrom(server.actions)
    const told = diagnosticsOf(server)

    const called = script.called("wait")
    const other = server.execute("wait", {}, context)
    await called
    const asked = await server.execute("ask", {}, context)
    finish()

    expect(textOf(asked)).toEqual({ action: "decline" })
    expect(told).toMatchObject([{ code: "question_dropped" }])
    expect(await other).toMatchObject({ ok: true })
  })

  it("is declined where a call was cancelled and never answered: that one may ask", async () => {
    const { server, script } = askingServer()
    await firstValueFrom(server.actions)
    const abort = new AbortController()

    const called = script.called("wait")
    const cancelled = server.execute("wait", {}, { ...context, signal: abort.signal })
    await called
    abort.abort()

    expect(await cancelled).toMatchObject({ ok: false, code: "aborted" })
    expect(textOf(await server.execute("ask", {}, context))).toEqual({ action: "decline" })
  })

  it("finds its call again once the cancelled one has been answered after all", async () => {
    const { server, script, finish } = askingServer()
    await firstValueFrom(server.actions)
    const abort = new AbortController()
    const called = script.called("wait")
    const cancelled = server.execute("wait", {}, { ...context, signal: abort.signal })
    await called
    abort.abort()
    await cancelled

    finish()

    expect(await server.execute("ask", {}, context)).toMatchObject({ ok: "ask" })
  })

  it("is declined once if two calls of its tool run; from then on they run one at a time", async () => {
    const { server } = askingServer()
    await firstValueFrom(server.actions)
    const told = diagnosticsOf(server)

    const [first, second] = [server.execute("ask", {}, context), server.execute("ask", {}, context)]
    const answers = [await accept(await first), await accept(await second)].map(textOf)
    const [third, fourth] = [server.execute("ask", {}, context), server.execute("ask", {}, context)]
    const later = [await accept(await third), await accept(await fourth)].map(textOf)

    expect(answers).toContainEqual({ action: "decline" })
    expect(told.length).toBeGreaterThan(0)
    expect(later).toEqual([GREEN, GREEN])
  })

  it("does not hold up a call that is given up while it waits for its turn", async () => {
    const { server } = askingServer()
    await firstValueFrom(server.actions)
    const abort = new AbortController()

    const first = await server.execute("ask", {}, context)
    const waiting = server.execute("ask", {}, { ...context, signal: abort.signal })
    abort.abort()

    expect(await waiting).toMatchObject({ ok: false, code: "aborted" })
    expect(textOf(await accept(first))).toEqual(GREEN)
  })
})

const GREEN = { action: "accept", content: { name: "green" } }

async function accept(reply: Reply): Promise<Reply> {
  return reply.ok === "ask" ? reply.resume({ answer: { name: "green" } }, context) : reply
}

describe("a question in the middle of a call, through the gateway", () => {
  it("reaches the person in front of the client, and its answer the server", async () => {
    const client = await connectTo(askingServer().server, "modern", { capabilities: { elicitation: { form: {} } } })
    const asked: unknown[] = []
    client.setRequestHandler("elicitation/create", ({ params }) => {
      asked.push(params.message)
      return { action: "accept", content: { name: "blue" } }
    })
    await client.listTools()

    const { content } = await client.callTool({ name: "ask" })

    expect(asked).toEqual([expect.stringContaining(ASKED)])
    expect(JSON.parse(String(Object(content[0])["text"]))).toEqual({ action: "accept", content: { name: "blue" } })
  })
})

describe.each<Era>(["legacy", "modern"])("a confirmation that one of ours asks for behind one of ours (%s)", (near) => {
  it.each<[Era, boolean]>([
    ["legacy", true],
    ["modern", true],
    ["legacy", false],
    ["modern", false],
  ])("is the person's, over the %s era: %j", async (far, accepts) => {
    const cleared: true[] = []
    const board = createAgenticService({
      name: "board",
      actions: {
        clear: action({ description: "Clears", confirm: () => "Clear it?", execute: () => void cleared.push(true) }),
      },
    })
    const adapter = createMcpAdapter(board)
    const server = fromMcpServer({ transport: async () => connectInMemory(adapter) }, { era: far })
    onTestFinished(() => server.close().finally(adapter.close))
    const client = await connectTo(server, near, { capabilities: { elicitation: { form: {} } } })
    client.setRequestHandler("elicitation/create", () =>
      accepts ? { action: "accept", content: { confirm: true } } : { action: "decline" },
    )
    await client.listTools()

    const { isError = false } = await client.callTool({ name: "clear" })

    expect([isError, cleared]).toEqual(accepts ? [false, [true]] : [true, []])
  })
})

describe("a question in the middle of a call, in the modern era", () => {
  it("is the outcome, and the call is repeated with the answer", async () => {
    const { server: near } = askingServer()
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

/** Collects the diagnostics from now on. */
function diagnosticsOf(server: Upstream): readonly UpstreamEvent[] {
  const told: UpstreamEvent[] = []
  server.events.pipe(filter((event) => event.type === "diagnostic")).subscribe((event) => told.push(event))
  return told
}

function textOf(reply: Reply): unknown {
  return reply.ok === true ? JSON.parse(String(Object(reply.content?.[0])["text"])) : reply
}

/** Creates a server with two tools: one asks the person and returns the answer, one waits to be released. */
function askingServer() {
  let id = 0
  let finish = (): void => {}
  const calls = new Map<string, () => void>()
  const script = createScripted({
    "tools/list": () => ({ tools: [tool("ask"), tool("wait")] }),
    "tools/call": async ({ name }) => {
      const tellCalled = (): void => calls.get(String(name))?.()
      if (name === "wait") {
        const ended = new Promise<void>((resolve) => {
          finish = resolve
        })
        tellCalled()
        await ended
        return { content: [] }
      }
      // Two calls that arrive together ask together.
      await new Promise((resolve) => setImmediate(resolve))
      id += 1
      const answered = script.ask(`q${id}`, "elicitation/create", QUESTION)
      tellCalled()
      return { content: [{ type: "text", text: JSON.stringify(await answered) }] }
    },
  })
  const called = (name: string) => new Promise<void>((resolve) => calls.set(name, resolve))
  const server = fromMcpServer({ transport: script.transport }, { connect: "eager" })
  onTestFinished(() => server.close())
  return { server, script: { called }, finish: () => finish() }
}
