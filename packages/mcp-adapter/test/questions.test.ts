import { type Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { action, createAgenticService } from "@x/agentic-service"
import { describe, expect, it, onTestFinished } from "vitest"
import { serveHttp } from "../src/bindings/http.js"
import { createMcpAdapter } from "../src/create-adapter.js"
import { createClient, type Era } from "./connect.js"

const eras: readonly Era[] = ["legacy", "modern"]

/** A shop over real HTTP, what was done in it, and a client whose person answers like that. */
async function open(era: Era, answer?: "accept" | "decline") {
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
  const adapter = createMcpAdapter(shop)
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
    return action === "accept" ? { action, content: { size: 3 } } : { action }
  })
}

describe.each(eras)("questions to the person, over HTTP with a %s client", (era) => {
  it("run the action once the person has accepted", async () => {
    const { client, done, asked } = await open(era, "accept")

    const result = await client.callTool({ name: "clear" })

    expect([result.isError ?? false, asked, done]).toEqual([false, ["Clear it?"], ["cleared"]])
  })

  it("do not run it when the person declines", async () => {
    const { client, done } = await open(era, "decline")

    const result = await client.callTool({ name: "clear" })

    expect([result.isError, JSON.stringify(result.content).includes("(declined)"), done]).toEqual([true, true, []])
  })

  it("hand it what the person filled in", async () => {
    const { client, done } = await open(era, "accept")

    await client.callTool({ name: "order" })

    expect(done).toEqual([{ shirt: { size: 3 } }])
  })
})

describe("questions to the person, for a client that cannot ask", () => {
  it("are refused to a modern one with what it would have to declare", async () => {
    const { client, done } = await open("modern")

    await expect(client.callTool({ name: "clear" })).rejects.toMatchObject({
      code: -32021,
      data: { requiredCapabilities: { elicitation: {} } },
    })
    expect(done).toEqual([])
  })

  it("are a failure that says so to a legacy one", async () => {
    const { client, done } = await open("legacy")

    const result = await client.callTool({ name: "clear" })

    expect([result.isError, JSON.stringify(result.content).includes("(confirmation_unavailable)"), done]).toEqual([
      true,
      true,
      [],
    ])
  })
})
