import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js"
import { Server } from "@modelcontextprotocol/sdk/server/index.js"
import { CreateMessageRequestSchema, LoggingMessageNotificationSchema } from "@modelcontextprotocol/sdk/types.js"
import { describe, expect, it } from "vitest"
import { createEmptyAdapter } from "../border/http/requests.fixture.js"
import type { CallContext } from "../calls/call-context.js"
import { createEndpoint } from "../create-endpoint.js"
import { ProtocolError } from "../handlers/handler.js"
import { createAttachment } from "./create-attachment.js"
import { createOurs } from "./methods.js"

describe("createOurs", () => {
  it("passes the caller, its leg and its capabilities to a handler", async () => {
    const { contexts, client } = await connect()

    await client.listTools()

    expect(contexts[0]).toMatchObject({
      principal: { id: "ann" },
      client: "ann",
      leg: { transport: "stdio", era: "legacy", notices: true },
      clientCapabilities: { sampling: {} },
    })
    expect(contexts[0]?.signal.aborted).toBe(false)
  })

  it("offers progress only to a caller that asked for it", async () => {
    const { contexts, client } = await connect()

    await client.listTools()
    await client.listTools(undefined, { onprogress: () => {} })

    expect(contexts.map(({ progress }) => typeof progress)).toEqual(["undefined", "function"])
  })

  it("sends no progress once it has answered", async () => {
    const { contexts, client } = await connect()
    const heard: number[] = []
    client.onerror = () => heard.push(-1)

    await client.listTools(undefined, { onprogress: ({ progress }) => heard.push(progress) })
    contexts[0]?.progress?.({ progress: 1 })
    await client.listTools()

    expect(heard).toEqual([])
  })

  it("lets a handler notify its client and ask it", async () => {
    const { client } = await connect({
      async answer({ peer }) {
        peer?.log("info", "asking", "test")
        const said = await peer?.request?.("sampling/createMessage", { messages: [], maxTokens: 1 })
        return { tools: [], said: said?.["model"] }
      },
    })
    const logged: unknown[] = []
    client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => void logged.push(params))
    client.setRequestHandler(CreateMessageRequestSchema, () => {
      return { model: "m", role: "assistant", content: { type: "text", text: "hi" } }
    })

    expect(await client.listTools()).toMatchObject({ said: "m" })
    expect(logged).toEqual([{ level: "info", data: "asking", logger: "test" }])
  })

  it("cannot ask on a connection without server requests", async () => {
    const { contexts, client } = await connect({ notices: false })

    await client.listTools()

    expect(contexts[0]?.peer).toBeDefined()
    expect(contexts[0]?.peer).not.toHaveProperty("request")
  })

  it("answers a protocol error with its code, message and data", async () => {
    const { client } = await connect({
      answer: () => Promise.reject(new ProtocolError(-32602, "no such page", { data: { cursor: "x" } })),
    })

    await expect(client.listTools()).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining("no such page"),
      data: { cursor: "x" },
    })
  })
})

interface ConnectOptions {
  readonly notices?: boolean
  readonly answer?: (context: CallContext) => Promise<{ tools: []; said?: unknown }>
}

/** Connects an SDK v1 client to a server whose `tools/list` records its context. */
async function connect({ notices = true, answer = async () => ({ tools: [] }) }: ConnectOptions = {}) {
  const real = createEndpoint(createEmptyAdapter())
  const contexts: CallContext[] = []
  const list = (_: unknown, context: CallContext) => {
    contexts.push(context)
    return answer(context)
  }
  const endpoint: typeof real = { ...real, open: (who) => ({ ...real.open(who), handlers: { "tools/list": list } }) }
  const server = new Server({ name: "own", version: "0" }, { capabilities: { tools: {}, logging: {} } })
  const attachment = createAttachment(endpoint, { principal: { id: "ann" }, notices, attached: () => {} })
  const handler = createOurs(endpoint, server, attachment)("tools/list")
  server.fallbackRequestHandler = handler
  const [mine, other] = InMemoryTransport.createLinkedPair()
  await server.connect(other)
  const client = new Client({ name: "test", version: "0" }, { capabilities: { sampling: {} } })
  await client.connect(mine)
  return { contexts, client }
}
