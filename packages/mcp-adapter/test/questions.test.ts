import { type Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { action, createAgenticService } from "@x/agentic-service"
import { createDeferred } from "@x/base"
import { describe, expect, it, onTestFinished } from "vitest"
import { serveHttp } from "../src/border/http.js"
import { connectInMemory } from "../src/border/in-memory.js"
import { createMcpAdapter, type McpAdapter } from "../src/create-adapter.js"
import type { McpAdapterOptions } from "../src/options.js"
import { createClient, type Era } from "./support/connect.js"

const eras: readonly Era[] = ["legacy", "modern"]

/** Serves a shop over real HTTP, records its effects, and connects a client whose person gives one answer. */
async function open(era: Era, answer?: "accept" | "decline", options: McpAdapterOptions = {}) {
  const done: unknown[] = []
  const Size = { type: "object", properties: { size: { type: "integer" } }, required: ["size"] } as const
  const shop = createAgenticService({
    name: "shop",
    actions: {
      clear: action({ description: "Clear", confirm: () => "Clear it?", execute: () => void done.push("cleared") }),
      order: action({
        description: "Order",
        ask: () => ({ shirt: { message: "Which size?", schema: Size } }),
        execute: (_, { answers }) => void done.push(answers),
      }),
    },
  })
  const adapter = createMcpAdapter(shop, options)
  const server = await serveHttp(adapter, { port: 0 })
  const asked: string[] = []
  const client = createClient(era, answer === undefined ? {} : { elicitation: {} })
  if (answer !== undefined) answerAs(client, answer, asked)
  await client.connect(new StreamableHTTPClientTransport(new URL(server.url)))
  onTestFinished(async () => {
    await client.close()
    await server.close()
    adapter.close()
  })
  return { client, done, asked }
}

function answerAs(client: Client, action: "accept" | "decline", asked: string[]): void {
  client.setRequestHandler("elicitation/create", ({ params }) => {
    asked.push(params.message)
    return action === "accept"
      ? { action, content: params.message.startsWith("Clear it?") ? { confirm: true } : { size: 3 } }
      : { action }
  })
}

describe.each(eras)("questions to the person, over HTTP with a %s client", (era) => {
  it("run the action once the person has accepted", async () => {
    const { client, done, asked } = await open(era, "accept")

    const result = await client.callTool({ name: "clear" })

    expect([result.isError ?? false, asked, done]).toEqual([false, ["Clear it?\n\nAction: clear"], ["cleared"]])
  })

  it("do not run it when the person declines", async () => {
    const { client, done } = await open(era, "decline")

    const result = await client.callTool({ name: "clear" })

    expect([result.isError, JSON.stringify(result.content).includes("(declined)"), done]).toEqual([true, true, []])
  })

  it("pass it the person's answers", async () => {
    const { client, done } = await open(era, "accept")

    await client.callTool({ name: "order" })

    expect(done).toEqual([{ shirt: { size: 3 } }])
  })
})

describe("a question of a call that its client cancels", () => {
  const connectors = {
    "in memory": async (adapter: McpAdapter, client: Client) => {
      await client.connect(connectInMemory(adapter))
      return async () => adapter.close()
    },
    "over HTTP": async (adapter: McpAdapter, client: Client) => {
      const server = await serveHttp(adapter, { port: 0 })
      await client.connect(new StreamableHTTPClientTransport(new URL(server.url)))
      return () => server.close()
    },
  }

  it.each(Object.entries(connectors))("is forgotten when the server closes, %s", async (_way, connect) => {
    const clear = action({ description: "Clear", confirm: () => "Clear it?", execute() {} })
    const adapter = createMcpAdapter(createAgenticService({ name: "shop", actions: { clear } }))
    const diagnostics: string[] = []
    adapter.events.subscribe((event) => {
      if (event.type === "diagnostic") diagnostics.push(event.diagnostic.message)
    })
    const client = createClient("legacy", { elicitation: {} })
    const { promise: asked, resolve: ask } = createDeferred()
    client.setRequestHandler("elicitation/create", () => {
      ask()
      return new Promise(() => {})
    })
    const close = await connect(adapter, client)
    const caller = new AbortController()
    const outcome = client.callTool({ name: "clear" }, { signal: caller.signal }).catch(String)
    await asked
    caller.abort()
    await outcome
    await client.listTools()

    await close()

    expect(diagnostics).toEqual([])
    await client.close()
    adapter.close()
  })
})

describe("the request state of a modern client's answer", () => {
  const confirmed = { confirm: { action: "accept", content: { confirm: true } } }

  it.each<[string, (state: string) => object]>([
    ["changed", (state) => ({ name: "clear", requestState: state.replace(/.$/, "!") })],
    ["made up", () => ({ name: "clear", requestState: "mine" })],
    ["another call's", (state) => ({ name: "order", requestState: state })],
    ["empty", () => ({ name: "clear", requestState: "" })],
  ])("is refused where it is %s, and nothing runs", async (_, tamper) => {
    const { client, done } = await open("modern", "accept")
    const asked = await client.request(
      { method: "tools/call", params: { name: "clear" } },
      { allowInputRequired: true },
    )
    const { requestState } = Object(asked)

    const call = client.request(
      { method: "tools/call", params: { ...tamper(requestState), inputResponses: confirmed } },
      { allowInputRequired: true },
    )

    await expect(call).rejects.toMatchObject({ code: -32602, message: expect.stringContaining("does not belong") })
    expect(done).toEqual([])
  })
})

describe("questions to the person, for a client that cannot ask", () => {
  it("are refused to a modern one with the capability to declare", async () => {
    const { client, done } = await open("modern")

    await expect(client.callTool({ name: "clear" })).rejects.toMatchObject({
      code: -32021,
      data: { requiredCapabilities: { elicitation: {} } },
    })
    expect(done).toEqual([])
  })

  it("are a failure with the reason for a legacy one", async () => {
    const { client, done } = await open("legacy")

    const result = await client.callTool({ name: "clear" })

    expect([result.isError, JSON.stringify(result.content).includes("(confirmation_unavailable)"), done]).toEqual([
      true,
      true,
      [],
    ])
  })
})

describe.each(eras)("a token in place of the person, for a %s client that cannot ask", (era) => {
  const byToken: McpAdapterOptions = { questions: { incapable: "token" } }
  const tokenIn = (result: unknown) => JSON.parse(/"confirm": ("(?:\\.|[^"\\])*")/.exec(textOf(result))?.[1] ?? '""')

  it("runs the call it was given for, once", async () => {
    const { client, done } = await open(era, undefined, byToken)
    const first = await client.callTool({ name: "clear" })
    const confirmed = { name: "run_action", arguments: { name: "clear", confirm: tokenIn(first) } }

    await client.callTool(confirmed)
    await client.callTool(confirmed)

    expect([first.isError, textOf(first).includes("Clear it? Action: clear (confirmation_needed)"), done]).toEqual([
      true,
      true,
      ["cleared"],
    ])
  })

  it("runs no other call", async () => {
    const { client, done } = await open(era, undefined, byToken)
    const confirm = tokenIn(await client.callTool({ name: "clear" }))

    const other = await client.callTool({
      name: "run_action",
      arguments: { name: "clear", arguments: { all: 1 }, confirm },
    })
    const forged = await client.callTool({ name: "run_action", arguments: { name: "clear", confirm: "made.up" } })

    expect([other.isError, forged.isError, done]).toEqual([true, true, []])
  })

  it("answers no question beyond a confirmation", async () => {
    const { client, done } = await open(era, undefined, byToken)

    const answer = await client.callTool({ name: "order" }).then(textOf, ({ code }) => code)

    expect(era === "modern" ? answer : String(answer).includes("(confirmation_unavailable)")).toBe(
      era === "modern" ? -32021 : true,
    )
    expect(done).toEqual([])
  })
})

/** Returns a result's first text. */
function textOf(result: unknown): string {
  return (result as { content: { text: string }[] }).content[0]?.text ?? "" // the shape of a tools/call result
}
